// The tasks of crowd.mjs.
export const nothing = () => undefined
export function spin(us) {
  const end = performance.now() + us / 1000
  while (performance.now() < end);
}
