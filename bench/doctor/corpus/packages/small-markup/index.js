// Renders by rules that one can add to, with a cache of its own for each renderer.
const caches = new WeakMap()
class Markup {
  constructor(options) {
    this.options = { html: false, ...options }
    this.rules = { bold: (text) => text.replace(/\*(\w+)\*/g, '<b>$1</b>') }
    caches.set(this, new Map())
  }
  use(name, rule) {
    this.rules[name] = rule
    return this
  }
  render(text) {
    let html = this.options.html ? text : text.replaceAll('<', '&lt;')
    for (const rule of Object.values(this.rules)) html = rule(html)
    return html
  }
}
Markup.defaults = { html: false, hooks: [] }
Markup.render = (text) => {
  const html = Markup.defaults.html ? text : text.replaceAll('<', '&lt;')
  return Markup.defaults.hooks.reduce((each, hook) => hook(each), html)
}
Markup.setDefaults = (defaults) => Object.assign(Markup.defaults, defaults)
module.exports = Markup
