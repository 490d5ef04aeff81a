// Covers sdk/share, apps/server/handlers, apps/cli/commands/sessions: a session as one HTML file for others.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER, readDownload } from '../fixtures/browser.ts';
import { enShare } from '../../sdk/share/en-share.ts';
import { findShown } from '../fixtures/canary.ts';
import { runKlaus } from '../fixtures/klaus.ts';
import { expectAccessible, openPage, watch } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

/** No pattern of a key: only the present value of the secret file makes it a secret. */
const CANARY = 'violet-harbour-93-lantern-quartz';
const OTHER = '/home/another/private/notes.txt';

const ANSWER = [
  '# Result <script>globalThis.taken = 1</script>',
  '',
  '<img src="http://127.0.0.1:9/a.png" onerror="globalThis.taken = 2"><iframe src="http://127.0.0.1:9/f"></iframe>',
  '',
  '![shot](http://127.0.0.1:9/b.png) [go](javascript:globalThis.taken=3) [safe](https://example.com/?a="><script>)',
  '',
  '</style></pre></main><style>@import "http://127.0.0.1:9/c.css"; body { background: url(http://127.0.0.1:9/d) }</style>',
  '',
  '| a | b |\n|---|---|\n| <svg onload=globalThis.taken=4> | `</code><script>globalThis.taken = 5</script>` |',
  '',
  `- [x] done, see ${OTHER}`,
  '',
  '```html\n</code></pre><script>globalThis.taken = 6</script>\n```',
  '',
  '**All tests pass.**',
].join('\n');

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title </title><script>globalThis.taken = 7</script>' } },
    {
      when: { turn: 0 },
      reply: {
        calls: [
          { name: 'write_file', input: { path: '<b>.html', content: '<script>globalThis.taken = 8</script>\n' } },
          { name: 'run_command', input: { command: 'printf "\\033[31m</pre><script>globalThis.taken = 9</script>"' } },
        ],
      },
    },
  ],
  fallback: { text: ANSWER },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `a shared session${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;
    let complaints: string[];
    let session: string;
    let html: string;

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({ script: SCRIPT });
      browser = await openBrowser();
      ({ page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
      await page.getByRole('heading', { name: en.home.title }).waitFor();
      const text = `Use ${CANARY} <script>globalThis.taken = 10</script>, and look into ${join(it.place.env['HOME']!, 'x')}.`;
      ({ session } = await it.client.openSession({ body: { text, mode: 'auto' } }));
      await page.goto(`${it.server.url}/#/s/${session}`);
      await page.locator('.end-good').waitFor();
      await page.locator('.sidebar a[aria-current="page"]').waitFor();
      // The value becomes a secret after it was said.
      writeFileSync(join(it.place.workspace, '.env'), `PASSWORD=${CANARY}\n`);
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    test('the page saves it as a file, which contains no secret and no home folder', async () => {
      await page.locator('.session-head .session-menu button').first().click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: en.sessions.share }).click();
      const saved = await download;
      expect(saved.suggestedFilename()).toBe(`klaus-${session}.html`);
      html = await readDownload(saved);
      expect(findShown([html], [CANARY])).toEqual([]);
      expect(html).toContain('[secret:');
      expect(html).toContain('look into ~/x.');
      expect(html).not.toContain('/home/another');
      expect(html).toContain('~/private/notes.txt');
      // The log, which is not for others, has the value.
      expect(await it.client.exportSession({ params: { id: session }, query: { format: 'md' } })).toContain(CANARY);
    });

    test('opened from a file, nothing runs and nothing is loaded, regardless of the content', async () => {
      const file = join(it.place.home, 'shared.html');
      writeFileSync(file, html);
      const shared = await browser.newPage();
      const errors = watch(shared);
      const requests: string[] = [];
      shared.on('request', (request) => requests.push(request.url()));
      await shared.goto(pathToFileURL(file).href);
      await shared.getByText('All tests pass.').first().waitFor();
      for (const summary of await shared.locator('summary').all()) await summary.click();
      expect(requests).toEqual([pathToFileURL(file).href]);
      expect(errors).toEqual([]);
      expect(await shared.evaluate('globalThis.taken')).toBeUndefined();
      expect(await shared.locator('script, iframe, img, svg, b, object, form').count()).toBe(0);
      expect(await shared.locator('style').count()).toBe(1);
      const links = await shared.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')!));
      expect(links.map((link) => new URL(link).protocol).filter((it) => !['http:', 'https:'].includes(it))).toEqual([]);
      expect(await shared.locator('.diff .add').allTextContents()).toEqual(['+<script>globalThis.taken = 8</script>']);
      expect(await shared.locator('main').textContent()).not.toContain('\u001b');
      await shared.getByText(enShare.outcomes.done).first().waitFor();
      await expectAccessible(shared, 'shared session');
      await shared.close();
      expect(complaints).toEqual([]);
    });

    test('the terminal prints the same file', async () => {
      const { stdout, code } = await runKlaus(['export', session, '--format', 'html'], { place: it.place });
      expect(code).toBe(0);
      expect(stdout.trimEnd()).toBe(html.trimEnd());
    });

    test('the server offers it as a download only', async () => {
      const { token } = it.server;
      const answer = await fetch(`${it.server.url}/api/sessions/${session}/export?format=html`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(answer.headers.get('content-disposition')).toContain('attachment');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      await answer.body?.cancel();
    });
  },
);
