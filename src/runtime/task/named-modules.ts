// Several task modules of one executor, under names that the program gives them: how they travel to workers, as the one module of others does.

/** The URL or absolute path of each, by the name that its tasks are called with: `images` for `images.resize`. */
export type NamedModules = Readonly<Record<string, URL | string>>

/** What {@link NamedModules} hold, as the one module whose tasks are those of all: `images.resize`, `texts.count`. */
export type AllTasks<Modules> = {
  readonly [Name in TaskNames<Modules>]: Name extends `${infer Module}.${infer Task}`
    ? Module extends keyof Modules
      ? Task extends keyof Modules[Module]
        ? Modules[Module][Task]
        : never
      : never
    : never
}

type TaskNames<Modules> = {
  [Module in keyof Modules & string]: `${Module}.${keyof Modules[Module] & string}`
}[keyof Modules & string]

const MARK = 'threadwise:modules:'

/** `urls`: by their names. */
export function moduleNamesText(urls: Readonly<Record<string, string>>): string {
  return MARK + JSON.stringify(urls)
}

/** Undefined: the text is the URL of one module. */
export function readModules(text: string): ReadonlyMap<string, string> | undefined {
  if (!text.startsWith(MARK)) return undefined
  return new Map(Object.entries(JSON.parse(text.slice(MARK.length)) as Record<string, string>))
}
