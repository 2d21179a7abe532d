// Exact equality of types: `any` equals only `any`, and an optional or readonly mark makes a difference.

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Takes `true` exactly if A and B are the same type. */
export function same<A, B>(answer: Same<A, B>): void {
  void answer
}
