// What a service is to do later, unless it stops before.

export class Timers {
  readonly #waiting = new Set<NodeJS.Timeout>()
  #isOver = false

  after(delayMs: number, action: () => void): void {
    if (this.#isOver) return
    const timer = setTimeout(() => {
      this.#waiting.delete(timer)
      action()
    }, delayMs)
    this.#waiting.add(timer)
  }

  end(): void {
    this.#isOver = true
    for (const timer of this.#waiting) clearTimeout(timer)
  }
}
