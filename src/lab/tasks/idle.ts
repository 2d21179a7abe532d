// The task of the memory experiment without a module: a worker that holds nothing but Node.

export function nothing(): void {}
