// A change as a patch for `git apply`.

import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { ChangedFile } from './plan.js'

export function patchOf(files: readonly ChangedFile[], notes: readonly string[] = []): string {
  const head = notes.map((note) => `# ${note}\n`).join('')
  return head + files.map(filePatch).join('')
}

function filePatch({ file, before, after }: ChangedFile): string {
  const isNew = before === null
  const head = `diff --git a/${file} b/${file}\n${isNew ? 'new file mode 100644\n' : ''}`
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY }
  return (
    head +
    createTwoFilesPatch(isNew ? '/dev/null' : `a/${file}`, `b/${file}`, before ?? '', after, '', '', options)
  )
}

/** Lines that are added or changed. */
export function changedLines(patch: string): number {
  return patch.split('\n').filter((line) => /^\+(?!\+\+ )/.test(line)).length
}
