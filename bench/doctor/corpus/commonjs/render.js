exports.title = (text) => text.toUpperCase()
exports.page = (text) => `<h1>${exports.title(text)}</h1>`
