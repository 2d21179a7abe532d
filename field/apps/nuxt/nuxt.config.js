import threadwise from 'threadwise/unplugin'

export default {
  nitro: { rollupConfig: { plugins: [threadwise.rollup()] } },
}
