BigInt.prototype.toJSON = function () {
  return `${this}n`
}
Date.prototype.toISOString = function () {
  return `at ${this.getTime()}`
}
Object.prototype.inherited = 'yes'
const { exec } = RegExp.prototype
RegExp.prototype.exec = function (text) {
  return exec.call(this, text.replace('rare', 'often'))
}
