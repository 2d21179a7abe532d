// A test in an imitated page, whose global classes are not Node's own. Run by Jest and by Vitest.
const { join } = require('node:path')
const threadwise = require('threadwise')

const bytes = new Uint8Array([1, 2, 3])
const long = 'x'.repeat(200_000)

for (const kind of ['inline', 'concurrent', 'threads', 'processes']) {
  // In its own thread Jest imports nothing by a path.
  const isOfJest = process.env.JEST_WORKER_ID !== undefined && /inline|concurrent/.test(kind)
  const module = isOfJest ? () => require('./tasks.js') : join(process.cwd(), 'tasks.js')
  const pool = threadwise[kind](module, { name: 'page', workerData: { a: 1 } })
  afterAll(() => pool.close())

  test(`${kind}: values arrive`, async () => {
    expect(await pool.tasks.echo('text')).toBe('text')
    expect(await pool.tasks.echo(long)).toBe(long)
    expect([...(await pool.tasks.echo(bytes))]).toEqual([1, 2, 3])
    expect((await pool.tasks.echo(new Map([[1, 2]]))).get(1)).toBe(2)
    expect(await pool.map('echo', [1, 2, 3])).toEqual([1, 2, 3])
  })

  test(`${kind}: errors arrive`, async () => {
    await expect(pool.tasks.fail('no')).rejects.toMatchObject({ name: 'RangeError', message: 'no' })
    await expect(pool.tasks.missing()).rejects.toMatchObject({ code: 'TW_ERR_TASK_NOT_FOUND' })
  })

  test(`${kind}: a task knows its call`, async () => {
    const seen = []
    const [name, data] = await pool.run('call', [], { onProgress: (value) => seen.push(value) })
    expect([name, data, seen]).toEqual(['page', { a: 1 }, ['half']])
  })
}
