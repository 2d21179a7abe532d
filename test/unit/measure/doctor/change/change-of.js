// Plans a change of an app that is given as texts, without running it.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createAppFiles } from '../../../../../build/measure/doctor/change/app-files.js'
import { planChange } from '../../../../../build/measure/doctor/change/plan-change.js'
import { parseScript } from '../../../../../build/measure/doctor/source/script-functions.js'

/**
 * @param files path -> text
 * @param names functions that move: 'file name', or that wait elsewhere: 'file name promise'
 * @returns the texts after it by their paths, or the reason and place of the refusal
 */
export function changeOf(files, ...names) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'threadwise-change-')))
  try {
    for (const [file, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    const scripts = new Map()
    const scriptOf = (file) => {
      const path = join(root, file)
      const language = /\.ts$/.test(file) ? 'TypeScript' : 'JavaScript'
      if (!scripts.has(file))
        scripts.set(file, {
          url: pathToFileURL(path).href,
          text: files[file],
          sourceMap: '',
          parsed: parseScript(files[file], language),
          placeOf: (line, column) => ({ file: path, line: line + 1, column, isUsers: true }),
        })
      return scripts.get(file)
    }
    const movers = names.map((each) => {
      const [file, name, way = 'threads'] = each.split(' ')
      const script = scriptOf(file)
      const found = script.parsed.functions.find(({ node, path }) => nameOf(node, path) === name)
      return { name, way, script, node: found.node }
    })
    const ran = Object.keys(files).filter(
      (file) => /\.[jt]s$/.test(file) && !/^(test|node_modules)\//.test(file),
    )
    ran.forEach(scriptOf)
    const app = createAppFiles(root, [...scripts.values()])
    const { files: changed, notes } = planChange(app, movers)
    return { files: Object.fromEntries(changed.map(({ file, after }) => [file, after])), notes, changed }
  } catch (error) {
    if (!error.place) throw error
    return { refused: error.message, place: `${error.place.file}:${error.place.line}` }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function nameOf(node, path) {
  const parent = path.at(-2)
  return node.id?.name ?? parent?.id?.name ?? parent?.key?.name ?? parent?.left?.property?.name
}
