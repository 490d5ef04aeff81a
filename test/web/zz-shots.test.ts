// Covers apps/web/markdown: shots.
import { test } from 'vitest';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser } from '../fixtures/browser.ts';
import { openPage } from '../fixtures/page.ts';
import { startTestServer } from '../fixtures/server.ts';
import { PNG } from 'pngjs';
import { readFileSync } from 'node:fs';
test('shots', { timeout: 200_000 }, async () => {
  await provideWebPage();
  const png = new PNG({ width: 300, height: 160 });
  for (let i = 0; i < png.data.length; i += 4) { png.data[i] = (i / 40) % 255; png.data[i + 1] = 120; png.data[i + 2] = 200; png.data[i + 3] = 255; }
  const text = readFileSync('/tmp/mf/answer.md', 'utf8');
  await using it = await startTestServer({ script: { steps: [{ when: { tools: false }, reply: { text: 'Title' } }], fallback: { text } }, files: { 'src/a.ts': 'a\n', 'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"><rect width="120" height="60" fill="teal"/></svg>', 'README.md': '# x\n' } });
  const { writeFileSync } = await import('node:fs');
  writeFileSync(it.place.workspace + '/chart.png', PNG.sync.write(png));
  await using browser = await openBrowser();
  const { page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token! });
  const { session } = await it.client.openSession({ body: { text: 'go', mode: 'auto' } });
  await page.goto(`${it.server.url}/#/s/${session}`);
  await page.locator('.end-good').waitFor();
  await new Promise((r) => setTimeout(r, 4000));
  for (const [name, colorScheme, width, height] of [['light', 'light', 1280, 2600], ['dark', 'dark', 1280, 2600], ['phone', 'light', 360, 3600]] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await new Promise((r) => setTimeout(r, 2500));
    await page.locator('.conversation-scroll').evaluate((e) => (e.scrollTop = 0));
    await new Promise((r) => setTimeout(r, 1500));
    await page.screenshot({ path: `/srv/shots/render/${name}.png` });
  }
  console.log(complaints);
});
