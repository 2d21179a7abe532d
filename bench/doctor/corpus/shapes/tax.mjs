import { spin } from '../spin.cjs'
export class Tax {
  static RATES = { DE: 0.19, FR: 0.2 }
  static gross(country, net) {
    return { total: net * (1 + Tax.RATES[country]), sum: spin(net) }
  }
}
const helpers = { twice: (value) => value * 2 }
export const api = {
  render: (title, rows) => `${title}: ${rows.map(helpers.twice).join()} ${spin(rows.length)}`,
  table(rows) {
    return rows.map((row) => [row, helpers.twice(row), spin(row)])
  },
}
