// Shim for pool/node-options.ts: a browser has none of them.

export function checkEnvironment(): void {}
