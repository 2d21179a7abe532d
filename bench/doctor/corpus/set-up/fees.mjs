function createFees(start) {
  let fee = start
  return { of: (sum) => sum + fee, set: (next) => void (fee = next) }
}
export const fees = createFees(2)
