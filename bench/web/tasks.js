// What each worker can do.
export const nothing = () => {}
export const echo = (value) => value
