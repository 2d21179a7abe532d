const rates = { DE: 0.19 }
module.exports = { rates, rateOf: (country) => rates[country] ?? 0 }
