export class OutOfStock extends Error {
  constructor(sku) {
    super(`no ${sku} left`)
    this.name = 'OutOfStock'
  }
}
export class BadRow extends TypeError {}
export const TOO_LARGE = new Error('too large')
export const notAllowed = (who) => new OutOfStock(who)
