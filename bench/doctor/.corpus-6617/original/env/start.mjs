process.env.APP_MODE = 'fancy'
globalThis.title = 'Title'
