// Reads YAML: in a module of its own, since few configurations are in it.

import { parse } from 'yaml'

/** With merge keys (`<<: *base`), which YAML 1.2 has not, and PM2 and people have. Throws an Error that names the line. */
export function parseYaml(text: string): unknown {
  return parse(text, { merge: true })
}
