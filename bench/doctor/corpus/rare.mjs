// Requests of which some come by lines that others do not.

/** The last one of three is rare. */
export const rare = (...paths) => paths.flatMap((path) => [path, path, `${path}?rare=1`])
export const urgent = (...paths) => paths.flatMap((path) => [path, path, `${path}?urgent=1`])
