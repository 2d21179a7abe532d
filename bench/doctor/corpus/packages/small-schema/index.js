// Compiles a schema to a validator that keeps its last errors on itself, as ajv does.
export default class Schemas {
  #compiled = new Map()
  constructor(options = {}) {
    this.options = options
  }
  compile(schema) {
    const known = this.#compiled.get(schema)
    if (known) return known
    const check = Object.entries(schema).map(
      ([key, type]) =>
        (row) =>
          typeof row[key] === type ? [] : [`${key} is no ${type}`],
    )
    const validate = (row) => {
      const errors = check.flatMap((each) => each(row))
      validate.errors = errors.length > 0 ? errors : null
      return errors.length === 0
    }
    validate.errors = null
    this.#compiled.set(schema, validate)
    return validate
  }
}
