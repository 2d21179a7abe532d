// The site: the README and docs/, as `prepare.mjs` has copied them. No script of others, search without a server; a dead link fails the build.
import { defineConfig } from 'vitepress'
import { menu, repository } from '../prepare.mjs'

/** So that links lead to the same anchors on both. */
const asGitHub = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

export default defineConfig({
  title: 'threadwise',
  description:
    'Find out whether threads, processes or a cluster help your Node.js code, and run it on what won.',
  lang: 'en-GB',
  base: process.env.SITE_BASE ?? '/',
  srcDir: '.pages',
  srcExclude: ['public/**'], // the same as Markdown, for programs that read
  cleanUrls: true,
  lastUpdated: false,
  markdown: { anchor: { slugify: asGitHub } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/' },
      { text: 'Recipes', link: '/docs/recipes/' },
      { text: 'All pages', link: '/docs/' },
      { text: 'Reference', link: '/docs/reference/' },
    ],
    sidebar: menu,
    socialLinks: [{ icon: 'github', link: repository }],
  },
})
