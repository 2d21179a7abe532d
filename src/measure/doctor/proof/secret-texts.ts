// Texts that hold a secret: by its form, or after a name, as `?api_key=...`, `DB_PASSWORD=...` and `"password": "..."` do.

import { isPasswordName } from './secret-names.js'

/** What is a secret by its form alone: keys and tokens that services give out, and passwords in addresses. */
const SECRET_FORM =
  /-----BEGIN [A-Z ]*PRIVATE KEY|\beyJ[\w-]{8,}\.|\b(sk|pk|rk|whsec|gh[opsur]|github_pat|glpat|xox[abpr]|npm|AIza|AKIA|ASIA|SG)[-_.]?[\w-]{12,}|\b(bearer|basic)\s+[\w+/=.-]{6,}|:\/\/[^\s/@]*@/i

export function isSecretText(text: string): boolean {
  return SECRET_FORM.test(text)
}

/**
 * Each replaces what follows a name: "before" and "value" are its groups, and "name". No name is longer, so that a long text takes as long as it has
 * letters.
 */
const NAMED = [
  // "name": "value", name = 'value', also with the quotes of a text within a text
  /(?<before>(?<![\p{L}\d_.-])(?<name>[\p{L}_][\p{L}\d_.-]{1,60})(?:\\*["'])?\s*[:=]\s*(?<quote>\\*["']))(?<value>(?:(?!\k<quote>)[^\n]){1,2000})(?=\k<quote>)/gu,
  // "name": 4711
  /(?<before>["'](?<name>[\p{L}_][\p{L}\d_.-]{1,60})\\*["']\s*:\s*)(?<value>-?\d+)/gu,
  // name=value, but no call, which stands in code
  /(?<before>(?<![\p{L}\d_.])(?<name>[\p{L}_][\p{L}\d_.-]{1,60})=)(?<value>[^\s&;,"'\\<>{}()[\]`|=]{4,})(?![^\s&;,]*[([])/gu,
  // name: value, alone in a line
  /(?<before>^[ \t-]*(?<name>[\p{L}_][\p{L}\d_.-]{1,60})[ \t]*:[ \t]+)(?<value>[^\s"'{}()[\]]{3,}[^\s"'{}()[\];,])(?=\r?$)/gmu,
  // <name>value</name>
  /(?<before><(?<name>[\p{L}_][\p{L}\d_.:-]{1,60})[^<>]{0,200}>)(?<value>[^<>]+)(?=<\/)/gu,
]

/** The text where nothing in it follows such a name. */
export function replaceNamed(text: string, replace: (value: string) => string): string {
  let replaced = text
  for (const pattern of NAMED)
    replaced = replaced.replace(pattern, (all, ...rest) => {
      const { before, name, value } = rest.at(-1) as Record<'before' | 'name' | 'value', string>
      return isPasswordName(name) && isValue(name, value) ? before + replace(value) : all
    })
  return replaced
}

/** `max_tokens=4096` is a count, and `pin=4096` is not; and no fraction is a password. */
function isValue(name: string, value: string): boolean {
  if (/^(true|false|null|undefined|none|-?\d+\.\d+)$/i.test(value)) return false
  return !/^\d{1,4}$/.test(value) || !/(token|session|cookie|secret|credential)s?$/i.test(name)
}
