// Commands, paths and messages of the app as they may be shown: in the terminal, in files, on the page.
//
// What is kept is what cannot be a secret as far as its form tells: words of a language, short numbers, options, files that exist. All else is "...".

import { existsSync } from 'node:fs'
import { isSecretName } from './proof/secret-names.js'

const HIDDEN = '...'
/** Options of Node.js whose value is code or a file of settings. */
const NAMES_CODE =
  /^(-r|-C|--require|--import|--loader|--experimental-loader|--env-file|--conditions|--watch-path)$/

/** Of an app: what comes behind its file, or behind `--`, are its own arguments, of which only options and short numbers are shown. */
export function shownCommand(words: readonly string[]): string[] {
  let isOwn = false
  return words.map((word, at) => {
    const before = words[at - 1] ?? ''
    const isValue = at > 1 && /^--?[a-z]/i.test(before) && !before.includes('=')
    if (word.startsWith('-') && word !== '--') return shownOption(word)
    if (isValue && isSecretName(before)) return HIDDEN
    if (at === 0 || (isValue && NAMES_CODE.test(before))) return word
    if (word === '--') return ((isOwn = true), word)
    if (existsSync(word)) return ((isOwn = true), word)
    const variable = /^(\w+)=/.exec(word)
    if (variable) return `${variable[1]}=${HIDDEN}`
    if (isShortNumber(word)) return word
    return !isOwn && !isValue && isPlainText(word) ? word : HIDDEN
  })
}

function shownOption(word: string): string {
  const [, name, value] = /^(--?[^=]*)=(.*)$/s.exec(word) ?? [undefined, word]
  const shown =
    /^(-\w|--[a-z][a-z-]*\d{0,2})$/i.test(name) && isPlainText(name.replace(/^-+/, ''))
      ? name
      : name.slice(0, 2) + HIDDEN
  if (value === undefined) return shown
  const isKept = !isSecretName(name) && (isShortNumber(value) || existsSync(value) || NAMES_CODE.test(name))
  return `${shown}=${isKept ? value : HIDDEN}`
}

/** Of a request. */
export function shownPath(path: string): string {
  const [, route, query] = /^([^?#]*)(?:\?([^#]*))?/s.exec(path)!
  const shown = route!.split('/').map(shownPart).join('/')
  return query === undefined ? shown : `${shown}?${query.split('&').map(shownParameter).join('&')}`
}

function shownPart(part: string): string {
  return part === '' || isShortNumber(part) || isPlainText(part) ? part : HIDDEN
}

function shownParameter(text: string): string {
  const [name, value] = text.split(/=(.*)/s) as [string, string?]
  if (value === undefined) return HIDDEN
  return `${shownPart(name)}=${isShortNumber(value) && !isSecretName(name) ? value : HIDDEN}`
}

const ADDRESS = /([a-z][a-z\d+.-]*:\/\/)(?:[^\s/@]*@)?([^\s/'"`?#]*)([^\s'"`)]*)/gi
/** `password: x`, `"token":"x"` and `API key=x`, to the end of the line. */
const NAMED = /(["']?)((?:[\w.-]+ )?[\w.-]+)\1(\s*[:=]\s*)(?=\S)/g
/** Where a message quotes data as JSON, to its end. */
const JSON_PIECE =
  /["'`]?(?:\.\.\.)?["'`]?[[{]\s*["'[{\d\\].*$|(?<=Unexpected [^,]*, ).*(?= is not valid JSON)/s
const QUOTED = /(["'`])((?:(?!\1).)*)\1/g

/** What an app says of an error: it may quote an address with its password, or the data of a user. */
export function shownMessage(message: string): string {
  return shownWords(
    hideNamed(message.replace(JSON_PIECE, HIDDEN)).replace(QUOTED, (_, quote: string, text: string) => {
      return `${quote}${/\s/.test(text) ? HIDDEN : shownWord(text)}${quote}`
    }),
  )
}

function hideNamed(text: string): string {
  for (const { 0: all, 2: name, index } of text.matchAll(NAMED))
    if (isSecretName(name!) && !/Error$/.test(name!)) return text.slice(0, index + all.length) + HIDDEN
  return text
}

function shownWords(text: string): string {
  return text.split(/(\s+)/).map(shownWord).join('')
}

function shownWord(word: string): string {
  if (/:\/\//.test(word) && !word.includes('file://')) return word.replace(ADDRESS, shownAddress)
  const [, start, middle, end] = /^([^\p{L}\p{N}./@]*)(.*?)([^\p{L}\p{N}/]*)$/su.exec(word)!
  const file = middle!.replace(/^file:\/\//, '').replace(/(:\d+)+$/, '')
  if (middle === '' || (file.length > 1 && existsSync(file))) return word
  return isPlainText(middle!) ? word : `${start}${HIDDEN}${end}`
}

function shownAddress(all: string, scheme: string, host: string, path: string): string {
  const user = /\/\/[^\s/]*@/.test(all) ? `${HIDDEN}@` : ''
  return `${scheme}${user}${isPlainText(host) ? host : HIDDEN}${path.length > 1 ? `/${HIDDEN}` : path}`
}

interface NamedFrame {
  readonly functionName: string
  readonly url: string
  readonly scriptId: string
}

/** Of a profile. V8 names a regular expression by its text, which may be data, as may be what code that was made while the app ran holds. */
export function shownFunction({ functionName, url, scriptId }: NamedFrame): string {
  if (/^RegExp: /.test(functionName)) return 'RegExp'
  return url === '' && scriptId !== '0' && !/^\(.*\)$/.test(functionName) ? '(anonymous)' : functionName
}

/** A path or a URL of a script: loaders add queries to it, and a URL may hold the whole program. */
export function shownUrl(url: string): string {
  return url.startsWith('data:') ? 'data:...' : url.replace(/[?#].*$/s, '')
}

function isShortNumber(text: string): boolean {
  return /^\d{1,5}$/.test(text)
}

const PLAIN_PART = /^([A-Z]?[a-z]+([A-Z]{1,3}[a-z]+)*[A-Z]{0,2}|[A-Z]{1,4}|E[A-Z]{3,14}|v?\d{1,5})$/
const MAIL = /[^\s@]@[^\s@]+\.[a-z]/i
const NAME_OF_ENVIRONMENT = /^[A-Z]{2,}(_[A-Z\d]{1,12})+$/

/** Words of a language, names of programmers, short numbers and what joins them; nothing that is long. */
export function isPlainText(text: string): boolean {
  if (text.length > 100 || MAIL.test(text)) return false
  const parts = text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean)
  return parts.every(
    (part) =>
      NAME_OF_ENVIRONMENT.test(part) ||
      part
        .split('_')
        .filter(Boolean)
        .every((each) => each.length <= 32 && PLAIN_PART.test(each)),
  )
}
