// The task of the posts experiment: reads posts, checks their front matter, and gives both parts of each as it goes.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** One step of a stream: the front matter of a post comes before its content, and a broken post gives a problem instead. */
export type PostPart =
  | { readonly file: string; readonly frontMatter: Record<string, unknown> }
  | { readonly file: string; readonly content: string }
  | { readonly file: string; readonly problem: string }

/** Paths of the packages, wherever they are installed. */
export interface PostParts {
  readonly 'gray-matter': string
  readonly zod: string
}

export interface PostShare {
  readonly folder: string
  readonly files: readonly string[]
  readonly packages: PostParts
}

const load = createRequire(import.meta.url)

export async function* readPosts({ folder, files, packages }: PostShare): AsyncGenerator<PostPart> {
  const parse = parserOf(packages)
  for (const file of files) {
    try {
      const { frontMatter, content } = parse(await readFile(join(folder, file), 'utf8'))
      yield { file, frontMatter }
      yield { file, content }
    } catch (error) {
      yield { file, problem: firstLine((error as Error).message) }
    }
  }
}

/** As far as this module uses them; zod 3 and 4 both have this. */
type GrayMatter = (text: string, options: object) => { readonly data: unknown; readonly content: string }
interface Schema {
  optional(): Schema
  passthrough(): Schema
  min(length: number): Schema
  safeParse(value: unknown): Parsed
}
type Parsed =
  | { readonly success: true; readonly data: Record<string, unknown> }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } }
interface Issue {
  readonly path: readonly unknown[]
  readonly message: string
}
interface Zod {
  object(shape: Record<string, Schema>): Schema
  string(): Schema
  boolean(): Schema
  array(item: Schema): Schema
  readonly coerce: { date(): Schema }
}

type Parser = (text: string) => { readonly frontMatter: Record<string, unknown>; readonly content: string }

let parser: Parser | undefined

function parserOf(packages: PostParts): Parser {
  return (parser ??= createParser(load(packages['gray-matter']) as GrayMatter, load(packages.zod) as Zod))
}

function createParser(matter: GrayMatter, z: Zod): Parser {
  const schema = z
    .object({
      title: z.string().min(1),
      date: z.coerce.date().optional(),
      tags: z.array(z.string()).optional(),
      draft: z.boolean().optional(),
    })
    .passthrough()
  return (text) => {
    const { data, content } = matter(text, {}) // without options gray-matter keeps each text for ever, and does not parse it again
    const result = schema.safeParse(data)
    if (result.success) return { frontMatter: result.data, content }
    throw new Error(
      result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
    )
  }
}

function firstLine(text: string): string {
  return text.split('\n')[0]!.replace(/:$/, '') // js-yaml goes on with the lines in question
}
