// Reads YAML: in a module of its own, since few configurations are in it.

import { parse } from 'yaml'

/** Throws an Error that names the line. */
export function parseYaml(text: string): unknown {
  return parse(text)
}
