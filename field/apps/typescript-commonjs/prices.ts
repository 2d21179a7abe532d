// What the tasks import.
export interface Price {
  readonly amount: number
}

export const sum = (prices: readonly Price[]): number => prices.reduce((all, { amount }) => all + amount, 0)
