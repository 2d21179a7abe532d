import threadwise from 'threadwise/unplugin'

export default { rollupConfig: { plugins: [threadwise.rollup()] } }
