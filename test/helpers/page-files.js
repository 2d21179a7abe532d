// Files that a page and its workers share, as tests share a folder elsewhere: /files/PATH, kept in memory by the server of the page.

/** Gives what answers a request for one of them. */
export function createPageFiles() {
  const files = new Map()
  const remove = (path) => {
    for (const name of files.keys()) if (name === path || name.startsWith(`${path}/`)) files.delete(name)
  }
  return async function answer(request, response) {
    const { method, url } = request
    const path = decodeURIComponent(url)
    const body = await textOf(request)
    if (method === 'PUT') files.set(path, body)
    else if (method === 'POST') files.set(path, (files.get(path) ?? '') + body)
    else if (method === 'DELETE') remove(path)
    const isThere = method !== 'GET' || files.has(path)
    response.writeHead(isThere ? 200 : 404, { 'Cache-Control': 'no-store' }).end(files.get(path))
  }
}

async function textOf(request) {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  return text
}
