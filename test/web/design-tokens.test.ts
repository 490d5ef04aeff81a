// Covers core/protocol/design, apps/web/style, sdk/share, adapters/mcp: the page, shared sessions and the page of a login have one set of tokens.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOKENS, TOKENS_CSS } from '@klaus/core/design-tokens';
import { expect, test } from 'vitest';
import { toLoginPage } from '../../adapters/mcp/messages/login-page.ts';
import { SHARE_STYLE } from '../../sdk/share/share-style.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';

const WEB = join(import.meta.dirname, '../../apps/web');
const STYLES = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css') && !/(?:^|\/)(?:dist|node_modules)\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(WEB, path), 'utf8') }));

/**
 * Values of a style sheet that a token should give. `1px` and `50%` are shapes, not sizes of the design, and less than 4 px
 * aligns an icon with its text.
 */
function findOwnValues(text: string): string[] {
  const declarations = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').match(/[\w-]+\s*:[^;{}]+;/g) ?? [];
  return declarations.filter(
    (declaration) =>
      /^(?:font-size|border-radius|transition|animation)\b.*[\s:]\d*\.?\d+(?:px|ms|s)\b/.test(
        declaration.replace(/\b[01]px\b/g, ''),
      ) ||
      /^(?:padding|margin|gap|row-gap|column-gap)\b.*[\s:]-?\d*\.?\d+px\b/.test(
        declaration.replace(/calc\([^;]*\)/g, '').replace(/\b[0-3]px\b/g, ''),
      ),
  );
}

test('no style sheet of the page has a size, a distance, a radius or a duration of its own', () => {
  expect(STYLES.length).toBeGreaterThan(20);
  const own = STYLES.flatMap(({ path, text }) => findOwnValues(text).map((each) => `${path}: ${each}`));
  expect(own).toEqual([]);
});

test('the built page has every token', { timeout: 120_000 }, async () => {
  await provideWebPage();
  const assets = join(WEB, 'dist/assets');
  const built = readdirSync(assets)
    .filter((name) => name.endsWith('.css'))
    .map((name) => readFileSync(join(assets, name), 'utf8'))
    .join('\n');
  for (const name of Object.keys(TOKENS)) expect(built, name).toContain(`--${name}:`);
  expect(built).not.toContain('--tokens:');
});

test.each([
  ['a shared session', SHARE_STYLE],
  ['the page of a login', toLoginPage('Done.')],
])('%s derives from the tokens', (_, text) => {
  expect(text).toContain(TOKENS_CSS);
  const own = text.replace(TOKENS_CSS, '');
  expect(own).not.toMatch(/#[\da-f]{3,8}\b|light-dark/);
  expect(findOwnValues(own)).toEqual([]);
  const used = [...own.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name);
  expect(Object.keys(TOKENS)).toEqual(expect.arrayContaining(used));
});
