// What the tasks import.
export const plus = (a: number, b: number): number => a + b
