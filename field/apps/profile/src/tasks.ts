// The task module: measured as source, and run as source and as build.
export const total = (prices: readonly number[]): number => prices.reduce((all, price) => all + price, 0)
