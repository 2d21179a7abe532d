// Computes for some milliseconds.
exports.spin = (seed, rounds = 500_000) => {
  let sum = seed
  for (let i = 0; i < rounds; i++) sum = (sum * 31 + i) % 1_000_003
  return sum
}
