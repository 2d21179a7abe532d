class StatusError extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
    this.expose = status < 500
  }
}
module.exports = (status, message) => new StatusError(status, message)
module.exports.StatusError = StatusError
module.exports.isStatusError = (error) => error instanceof StatusError
