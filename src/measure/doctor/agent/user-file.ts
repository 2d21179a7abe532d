// Which code is the user's: neither Node's, nor a package's, nor ours.

/** `url` as V8 names a script: a file URL, or a path where it is CommonJS. */
export function isUserFile(url: string): boolean {
  const isFile = url.startsWith('file://') || url.startsWith('/') || /^[a-z]:[\\/]/i.test(url)
  return (
    isFile && !/[\\/]node_modules[\\/]/.test(url) && !/threadwise-doctor-[\w-]+[\\/]agent\.cjs$/.test(url)
  )
}
