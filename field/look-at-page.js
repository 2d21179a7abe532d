// Opens pages of a row in a Chromium, until they show what they must.
import { startChromium, withoutChromium } from '../test/helpers/browsers.js'

const SHOWN_MS = 120_000

/** @param {Record<string, RegExp>} pages path -> what the page must show */
export async function lookAtPages(origin, pages) {
  if (withoutChromium) throw new Error(withoutChromium)
  const browser = await startChromium()
  try {
    for (const [path, expected] of Object.entries(pages))
      await look(await browser.newPage(), origin + path, expected)
  } finally {
    await browser.close()
  }
}

async function look(page, url, expected) {
  const said = []
  page.on('pageerror', (error) => said.push(error.stack))
  page.on('console', (message) => said.push(message.text()))
  await page.goto(url)
  try {
    // A server that develops may load the page anew.
    await page.waitForFunction((text) => new RegExp(text).test(document.body?.innerText), expected.source, { timeout: SHOWN_MS }) // prettier-ignore
  } catch (error) {
    const shown = await page.evaluate(() => document.body?.innerText)
    throw new Error(`${url} did not show ${expected}, but ${shown}\n${said.join('\n')}`, { cause: error })
  }
}
