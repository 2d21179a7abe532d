// The page before its script draws anything: no name and no figure is in it. The script is bundled into the command line, so no file is read.

import script from './page/page-entry.js?module'

export const pageScript = script

/** The token is base64url: nothing in it has a meaning in HTML. */
export function pageText(pageToken: string | null): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="page-token" content="${pageToken ?? ''}">
<title>threadwise dashboard</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="app.css">
<script type="module" src="app.js"></script>
</head>
<body>
<noscript>The dashboard draws with its own script, which this browser does not run.</noscript>
<div id="app"></div>
</body>
</html>
`
}
