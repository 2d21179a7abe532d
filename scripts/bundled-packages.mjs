// Which packages are in what the build makes: the notices that their licences ask for, and the bill of materials.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Folders of packages of which a bundle holds code. */
const folders = new Set()

/** As esbuild's `build`. */
export async function buildAndRemember(options) {
  const result = await build({ ...options, metafile: true })
  for (const { inputs } of Object.values(result.metafile.outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path.replaceAll('\\', '/')) ?? []
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder.replace(/^.*?(?=node_modules\/)/, ''))
    }
  return result
}

/** Of all that was built so far. Throws where a package has no licence that could be told. */
export function writeNotices(file) {
  const notices = [...folders].sort().map(noticeOf)
  writeFileSync(file, [HEAD, ...notices].join(`\n${'-'.repeat(80)}\n\n`))
}

/** The same packages for tools that look for known faults: CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/. */
export function writeBillOfMaterials(file) {
  const { name, version } = packageIn('.')
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf({ name, version, license: 'MIT' }, 'library') },
    components: [...folders].sort().map((folder) => componentOf(packageIn(folder), 'library')),
  }
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`)
}

function packageIn(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** Its address: https://github.com/package-url/purl-spec, where the @ of a scope is written %40. */
function componentOf({ name, version, license }, type) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { type, name, version, 'bom-ref': purl, purl, licenses: [{ license: { id: license } }] }
}

const HEAD = 'The programs in this folder hold code of the following packages, under their own licences.\n'

function noticeOf(folder) {
  const { name, version, license } = packageIn(folder)
  const files = readdirSync(folder).filter((each) => /^(licen[cs]e|copying|notice)(\W|$)/i.test(each))
  const texts = files.sort().map((each) => readFileSync(join(folder, each), 'utf8').trim())
  const text = texts.join('\n\n') || sectionOfReadme(folder)
  if (!text)
    throw new Error(`${name} is bundled, and its licence is found neither in a file nor in its README`)
  return `${name} ${version} (${license})\n\n${text}\n`
}

/** Some packages have no file for it. */
function sectionOfReadme(folder) {
  const name = readdirSync(folder).find((each) => /^readme/i.test(each))
  const text = name === undefined ? '' : readFileSync(join(folder, name), 'utf8')
  return /^#+ *licen[cs]e\b.*\n([^]*?)(?=^#|(?![^]))/im.exec(text)?.[1].trim()
}
