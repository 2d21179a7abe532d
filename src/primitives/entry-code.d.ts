// `import code from './x-entry.js?code'`: the text of x-entry.ts with all that it imports, as one expression of a function. The build puts it there.
declare module '*?code' {
  const code: string
  export default code
}

/** The same as a module, with its exports. */
declare module '*?module' {
  const code: string
  export default code
}
