import { TOKENS_CSS } from '@klaus/core/design-tokens';

/** Nothing is loaded and nothing runs. */
export const LOGIN_PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** What the browser shows after a login. It holds nothing of the request. @param text A sentence of Klaus. */
export function toLoginPage(text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Klaus</title>
<style>:root { ${TOKENS_CSS} }
body { margin: 0; padding: var(--space-16) var(--space-6); background: var(--surface); color: var(--text); text-align: center;
  font: var(--text-p)/1.5 var(--font); }
h1 { margin: 0 0 var(--space-2); font-size: var(--text-xl); }</style>
</head>
<body>
<main><h1>Klaus</h1><p>${text}</p></main>
</body>
</html>
`;
}
