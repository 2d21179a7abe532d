import js from '@eslint/js'
import tseslint from 'typescript-eslint'

/**
 * Values and errors may be those of another realm (Jest, jsdom, node:vm, a frame), whose classes are others: see src/primitives/any-realm.ts. What
 * only we make, and Node's modules, which all realms share, may be asked so.
 */
const OWN =
  'Malformed|NotSendable|SinkError|CannotExtract|AppEnded|AppBlocked|Refused|CannotTry|ServerInstance|ConnectionEnd'
const OF_NODE = 'Socket|Server|HttpServer|HttpsServer|TlsServer'
const ofThisRealm = {
  selector: `BinaryExpression[operator="instanceof"]:not([right.name=/^(${OWN}|${OF_NODE})$/])`,
  message: 'It may be of another realm. Ask what it is: any-realm.ts, node:util types, isPromise.',
}

const nodeGlobals = Object.fromEntries(
  [
    'AbortController',
    'AbortSignal',
    'DOMException',
    'Buffer',
    'URL',
    'clearImmediate',
    'clearInterval',
    'clearTimeout',
    'console',
  ]
    .concat([
      'fetch',
      'performance',
      'process',
      'queueMicrotask',
      'setImmediate',
      'setInterval',
      'setTimeout',
    ])
    .concat(['structuredClone', 'globalThis', 'require', 'module', 'MessageChannel', 'WebAssembly'])
    .concat([
      'Blob',
      'File',
      'FormData',
      'Headers',
      'Request',
      'Response',
      'ReadableStream',
      'URLSearchParams',
    ])
    .map((name) => [name, 'readonly']),
)

/** Of pages and their workers, and what tests put there. */
const browserGlobals = Object.fromEntries(
  [
    ...['Worker', 'XMLHttpRequest', 'document', 'location', 'navigator', 'self', 'TextDecoder'],
    ...['ImageData', 'createImageBitmap'],
    ...['addEventListener', 'postMessage', 'requestAnimationFrame', 'threadwise'],
  ].map((name) => [name, 'readonly']),
)

export default tseslint.config(
  {
    ignores: [
      'site/.pages/',
      'site/.vitepress/{dist,cache}/',
      'build/',
      'dist/',
      'node_modules/',
      'test/fixtures/broken/',
      'test/fixtures/doctor/write-*/',
      '.tmp/',
    ],
  },
  js.configs.recommended,
  {
    files: ['src/**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'max-params': ['error', 4],
      'no-restricted-syntax': ['error', ofThisRealm],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'off', // a task may reject with anything, and so may an AbortSignal
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-base-to-string': 'off', // whatever was thrown is shown as it shows itself
      '@typescript-eslint/restrict-template-expressions': 'off', // messages show whatever came
    },
  },
  { files: ['bench/doctor/corpus/**'], languageOptions: { globals: { exports: 'writable' } } },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: { globals: nodeGlobals },
  },
  {
    files: [
      ...['test/web/*.js', 'test/fixtures/web/**/*.{js,cjs}', 'bench/web/*.js'],
      ...['examples/{csv,image-filter}/*.js', 'field/apps/page/*.js', 'field/look-at-page.js'],
    ],
    languageOptions: { globals: browserGlobals },
  },
  {
    files: ['**/*.cjs', 'field/apps/*/*-path.js', 'field/apps/*/*-sea.js', 'field/apps/jest-*/*.js'],
    languageOptions: { globals: { __dirname: 'readonly' } },
  },
  {
    files: ['field/apps/imitated-page/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['afterAll', 'exports', 'expect', 'test'].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['field/apps/mocha/*.js'],
    languageOptions: {
      globals: { after: 'readonly', afterEach: 'readonly', describe: 'readonly', it: 'readonly' },
    },
  },
)
