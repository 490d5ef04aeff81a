// Covers apps/server/http/frames.ts, apps/web/preview, apps/web/diagram: documents and programs in frames, which reach nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enRender } from '../../apps/web/text/render/en-render.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { rawRequest, startTestServer, type TestServer } from '../fixtures/server.ts';

const { preview } = enRender;

/** A document that tries every way out, and writes what happened. */
const toEscape = (outside: string, inside: string) => `<!doctype html>
<img src="${outside}/image"><link rel="stylesheet" href="${outside}/style"><script src="${outside}/script"></script>
<iframe src="${outside}/frame"></iframe><form action="${outside}/form" id="form"></form>
<a href="${outside}/link" target="_top" id="link">out</a>
<pre id="log"></pre>
<script type="module">
const log = async (name, act) => {
  let result;
  try { result = 'done: ' + String(await act()); } catch { result = 'refused'; }
  document.getElementById('log').append(name + ' ' + result + '\\n');
};
await log('page', () => parent.document.title);
await log('cookie', () => document.cookie);
await log('storage', () => localStorage.length);
await log('server', () => fetch('${inside}/api/sessions'));
await log('fetch', () => fetch('${outside}/fetch'));
await log('socket', () => new Promise((done, failed) => { const it = new WebSocket('${outside.replace('http', 'ws')}/socket'); it.onopen = done; it.onerror = failed; }));
await log('beacon', () => { if (!navigator.sendBeacon('${outside}/beacon')) throw new Error(); return 'sent'; });
await log('window', () => window.open('${outside}/window').closed);
await log('worker', () => new Promise((done, failed) => { const it = new Worker('${outside}/worker'); it.onmessage = done; it.onerror = failed; }));
await log('dialog', () => { document.getElementById('form').submit(); document.getElementById('link').click(); return ''; });
document.getElementById('log').append('end');
document.getElementById('leave').onclick = () => (location.href = '${outside}/location');
</script>
<button id="leave">Leave</button>`;

describe.skipIf(WITHOUT_BROWSER !== undefined)(`frames${WITHOUT_BROWSER ?? ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let page: Page;
  /** A server that must not get a request. */
  const reached: string[] = [];
  const outside = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.end();
  });

  beforeAll(async () => {
    await provideWebPage();
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    const script: Script = { steps: [{ when: { tools: false }, reply: { text: 'A title' } }] };
    const address = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
    it = await startTestServer({
      script: {
        ...script,
        fallback: {
          get text() {
            return `\`\`\`html\n${toEscape(address, it.server.url)}\n\`\`\`\n`;
          },
        },
      },
    });
    browser = await openBrowser();
    ({ page } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
    await page.getByRole('heading', { name: en.home.title }).waitFor();
  });
  afterAll(async () => {
    outside.close();
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  test('have policies without a network, and no other page may contain them', async () => {
    for (const [path, allowed] of [
      ['/frames/program', 'allow-scripts'],
      ['/frames/document', 'allow-scripts'],
      ['/frames/static', 'allow-same-origin'],
    ] as const) {
      const { status, headers, body } = await rawRequest(it.server, { path });
      expect(status).toBe(200);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'self'");
      expect(policy).toMatch(new RegExp(`sandbox ${allowed}(?:;|$)`));
      expect(policy).toContain("frame-src 'none'");
      expect(body.includes('<script')).toBe(allowed === 'allow-scripts');
      expect(policy).not.toMatch(/connect-src|https?:/);
      expect(body).not.toContain(it.server.token);
    }
    expect((await rawRequest(it.server, { path: '/frames/toString' })).status).toBe(404);
  });

  test('an HTML document of an answer runs only after a question, and reaches neither the page nor a server', async () => {
    const { session } = await it.client.openSession({ body: { text: 'page', mode: 'auto' } });
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.locator('.end-good').waitFor();
    const show = page.getByRole('button', { name: preview.show });
    await show.click();
    expect(await show.getAttribute('aria-pressed')).toBe('true');
    await expectAccessible(page, 'preview of an answer');
    const frame = page.frameLocator(`iframe[title="${preview.page}"]`);
    await frame.getByRole('button', { name: 'Leave' }).waitFor();
    await page.getByText(preview.stopped).waitFor();
    expect(await frame.locator('#log').textContent()).toBe('');
    expect(await frame.locator('script, link, iframe, [href]').count()).toBe(0);
    await page.getByRole('button', { name: preview.run }).click();
    const question = page.getByRole('dialog', { name: preview.ask });
    await question.getByText(preview.can).waitFor();
    await expectAccessible(page, 'question about the scripts of a preview');
    // The focus is on the answer without an effect.
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    expect(await frame.locator('#log').textContent()).toBe('');
    await page.getByRole('button', { name: preview.run }).click();
    await question.getByRole('button', { name: preview.run }).click();
    await frame.getByText('end').waitFor();
    const log = (await frame.locator('#log').textContent())!.split('\n');
    expect(log.filter((line) => line.endsWith('refused')).map((line) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['page', 'cookie', 'storage', 'server', 'fetch', 'socket', 'window', 'worker']),
    );
    await frame.getByRole('button', { name: 'Leave' }).click();
    await frame.getByRole('button', { name: 'Leave' }).waitFor({ state: 'detached' });
    // The page is still there.
    await page.getByRole('button', { name: preview.show }).waitFor();
    await page.getByRole('button', { name: preview.stop }).click();
    await frame.getByRole('button', { name: 'Leave' }).waitFor();
    expect(await frame.locator('#log').textContent()).toBe('');
    expect(reached).toEqual([]);
  });

  test('a program that never ends does not block the page', async () => {
    await page.goto(`${it.server.url}/#/`);
    await page.getByRole('heading', { name: en.home.title }).click();
    await page.evaluate(`new Promise((done) => {
      const frame = document.createElement('iframe');
      frame.sandbox.add('allow-scripts');
      frame.src = '/frames/program';
      frame.className = 'endless';
      frame.onload = () => {
        frame.contentWindow.postMessage("parent.postMessage('endless', '*'); setTimeout(() => { for (;;); }, 50);", '*');
      };
      addEventListener('message', ({ data }) => data === 'endless' && done());
      document.body.append(frame);
    })`);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('frames.length')).toBe(1);
    await page.evaluate("document.querySelector('.endless').remove()");
  });
});
