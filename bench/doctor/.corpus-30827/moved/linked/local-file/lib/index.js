// Linked, as `"local-file": "file:../linked/local-file"` is.
exports.wrap = (text) => `(${text})`
