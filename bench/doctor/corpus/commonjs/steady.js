module.exports = (text) => text.split(' ').join('-')
module.exports.version = 3
