// Covers apps/web/offline, apps/web/state, scripts/bundle: the installable page, its service worker, and the last state without a connection.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startServer as serve } from '../../apps/server/server.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, until } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };

/** The sessions whose conversations this browser stored. */
const STORED = `new Promise((resolve) => {
  const request = indexedDB.open('klaus-last-logs', 1);
  request.onupgradeneeded = () => request.result.createObjectStore('logs', { keyPath: 'session' });
  request.onsuccess = () => {
    const keys = request.result.transaction('logs').objectStore('logs').getAllKeys();
    keys.onsuccess = () => { request.result.close(); resolve(keys.result); };
  };
})`;

/** Width and height of a PNG. */
const toSize = (png: Buffer): number[] => [png.readUInt32BE(16), png.readUInt32BE(20)];

/** A server in front of another one that can change the service worker, as a new version does. */
async function startFront(target: string): Promise<{ url: string; server: Server; change: (to: string) => void }> {
  let change: string | undefined;
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    if (url === '/service-worker.js' && change !== undefined) {
      outgoing.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'no-cache' }).end(change);
      return;
    }
    const passed = request(`${target}${url}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    change: (to) => (change = to),
  };
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `the installed page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    const ended: (() => Promise<unknown>)[] = [];
    beforeAll(() => provideWebPage());
    afterEach(async () => {
      for (const end of ended.splice(0).toReversed()) await end();
    });

    async function start(): Promise<{ it: TestServer; browser: Browser; context: BrowserContext; page: Page }> {
      const it = await startTestServer();
      ended.push(async () => it[Symbol.asyncDispose]());
      const browser = await openBrowser();
      ended.push(() => browser.close());
      const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'allow' });
      return { it, browser, context, page: await context.newPage() };
    }
    const signIn = async (page: Page, url: string, token: string) => {
      await page.goto(`${url}/#token=${token}`);
      await page.getByRole('textbox', { name: en.composer.label }).waitFor();
    };
    /** The worker controls the page, and has stored the page itself, of which nothing notifies. */
    const untilStored = async (page: Page) => {
      await until(page, 'navigator.serviceWorker.controller');
      await page.reload();
      await page.evaluate(
        `(async () => { while (!(await caches.match('/'))) await new Promise((r) => setTimeout(r, 20)); })()`,
      );
    };

    test('the manifest names icons that exist in their sizes', async () => {
      const { it, page } = await start();
      await signIn(page, it.server.url, it.server.token!);
      const href = await page.locator('link[rel=manifest]').getAttribute('href');
      const address = new URL(href!, page.url());
      const response = await fetch(address);
      expect(response.headers.get('content-type')).toContain('application/manifest+json');
      const manifest = (await response.json()) as {
        display: string;
        icons: { src: string; sizes: string; purpose: string }[];
        share_target: { method: string; action: string };
      };
      expect(manifest.display).toBe('standalone');
      expect(manifest.share_target).toMatchObject({ method: 'GET' });
      expect(new URL(manifest.share_target.action, address).pathname).toBe('/');
      expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual(
        expect.arrayContaining(['192x192 any', '512x512 any', '512x512 maskable']),
      );
      for (const { src, sizes } of manifest.icons) {
        const icon = Buffer.from(await (await fetch(new URL(src, address))).arrayBuffer());
        expect(toSize(icon).join('x')).toBe(sizes);
      }
    });

    test(
      'without a connection the page opens with its last state, stores no answer of the API, and comes back',
      { tags: ['long'] },
      async () => {
        const { it, page } = await start();
        const { session } = await it.client.openSession({ body: {} });
        await it.client.changeSession({ params: { id: session }, body: { title: 'Kept title' } });
        await signIn(page, it.server.url, it.server.token!);
        await page.getByRole('link', { name: 'Kept title' }).waitFor();
        await untilStored(page);
        await page.getByRole('link', { name: 'Kept title' }).waitFor();
        await until(page, "(localStorage.getItem('klaus.last') ?? '').includes('Kept title')");
        const stored = (await page.evaluate(`(async () => {
      const names = await caches.keys();
      const all = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map((r) => new URL(r.url).pathname)));
      return all.flat();
    })()`)) as string[];
        expect(stored).toContain('/');
        expect(
          stored.filter(
            (path) => !/^\/(?:assets\/[^/]+|favicon[\w-]*\.svg|icon-192\.png|manifest\.webmanifest)?$/.test(path),
          ),
        ).toEqual([]);
        await it.server.close();
        await page.reload();
        const row = page.getByRole('link', { name: 'Kept title' });
        await row.waitFor();
        await page.getByText(en.lists.offlineTitle).waitFor();
        await expectAccessible(page, 'offline');
        await row.click();
        await page.getByText(en.lists.offlineTitle).waitFor();
        expect(await page.getByRole('textbox', { name: en.composer.label }).count()).toBe(0);
        const again = await serve({
          klaus: it.klaus,
          port: Number(new URL(it.server.url).port),
          log: SILENT,
          version: 'test',
        });
        ended.push(() => again.close());
        await page.getByRole('textbox', { name: en.composer.label }).waitFor();
        await expect.poll(() => page.getByText(en.lists.offlineTitle).count(), WAIT).toBe(0);
      },
    );

    test(
      'without a connection the latest conversations are read, and nothing of a deleted one or after signing out',
      { tags: ['long'] },
      async () => {
        const { it, page } = await start();
        const open = async (text: string) => (await it.client.openSession({ body: { text } })).session;
        const sessions = [];
        for (const at of [1, 2, 3, 4, 5, 6]) sessions.push(await open(`Prompt ${at}`));
        await signIn(page, it.server.url, it.server.token!);
        await untilStored(page);
        for (const id of sessions) {
          await page.goto(`${it.server.url}/#/s/${id}`);
          await page.locator('.end-good').waitFor();
          await expect.poll(() => page.evaluate(STORED), WAIT).toContain(id);
        }
        // Only the latest five.
        await expect.poll(() => page.evaluate(STORED), WAIT).toHaveLength(5);
        expect(await page.evaluate(STORED)).not.toContain(sessions[0]);
        await it.client.deleteSession({ params: { id: sessions[2]! } });
        await expect.poll(() => page.evaluate(STORED), WAIT).not.toContain(sessions[2]);
        const port = Number(new URL(it.server.url).port);
        await it.server.close();
        await page.goto(`${it.server.url}/#/s/${sessions[3]}`);
        await page.reload();
        await page.locator('.conversation').getByText('Prompt 4').waitFor();
        await page.getByText(en.lists.offlineStored).waitFor();
        await expectAccessible(page, 'a stored conversation');
        expect(await page.getByRole('textbox', { name: en.composer.label }).count()).toBe(0);
        expect(await page.getByRole('button', { name: en.conversation.edit }).isDisabled()).toBe(true);
        expect(await page.getByRole('button', { name: en.conversation.copyMessage }).first().isDisabled()).toBe(false);
        await page.goto(`${it.server.url}/#/s/${sessions[0]}`);
        await page.getByText(en.lists.offlineTitle).waitFor();
        const again = await serve({ klaus: it.klaus, port, log: SILENT, version: 'test' });
        ended.push(() => again.close());
        await page.getByRole('textbox', { name: en.composer.label }).waitFor();
        await page.keyboard.press('Control+k');
        await page.keyboard.type(en.keys.signOut);
        await page.keyboard.press('Enter');
        await page.getByLabel(en.signIn.token).waitFor();
        await expect.poll(() => page.evaluate(STORED), WAIT).toEqual([]);
      },
    );

    test('signing out deletes the last state', { tags: ['long'] }, async () => {
      const { it, page } = await start();
      const { session } = await it.client.openSession({ body: {} });
      await it.client.changeSession({ params: { id: session }, body: { title: 'Kept title' } });
      await signIn(page, it.server.url, it.server.token!);
      await page.getByRole('link', { name: 'Kept title' }).waitFor();
      await until(page, "(localStorage.getItem('klaus.last') ?? '').includes('Kept title')");
      await page.keyboard.press('Control+k');
      await page.keyboard.type(en.keys.signOut);
      await page.keyboard.press('Enter');
      await page.getByLabel(en.signIn.token).waitFor();
      expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('Kept title');
    });

    test('what is shared becomes a draft, is not sent, and leaves the address', { tags: ['long'] }, async () => {
      const { it, page } = await start();
      await signIn(page, it.server.url, it.server.token!);
      const text = '<img src=x onerror=alert(1)> "quoted" & more';
      const query = new URLSearchParams({
        'share-title': 'A page',
        'share-text': text,
        'share-url': 'https://example.com/a',
      });
      await page.goto(`${it.server.url}/?${query.toString()}`);
      const field = page.getByRole('textbox', { name: en.composer.label });
      await expect.poll(() => field.inputValue(), WAIT).toBe(`A page\n${text}\nhttps://example.com/a`);
      expect(new URL(page.url()).search).toBe('');
      await page.reload();
      await expect.poll(() => field.inputValue(), WAIT).toBe(`A page\n${text}\nhttps://example.com/a`);
      expect((await it.client.sessions()).sessions).toEqual([]);
    });

    test(
      'a new version is offered, replaces the page on request, and its own files activate without a question',
      { tags: ['long'] },
      async () => {
        const { it, page } = await start();
        const front = await startFront(it.server.url);
        ended.push(async () => {
          front.server.closeAllConnections();
          front.server.close();
        });
        await signIn(page, front.url, it.server.token!);
        await untilStored(page);
        const worker = await (await fetch(`${front.url}/service-worker.js`)).text();
        const update = () =>
          page.evaluate('navigator.serviceWorker.getRegistration().then((it) => it.update()).then(() => 1)');
        // The same files: the page has the version of the worker already.
        front.change(`${worker}\n// Another build.`);
        await update();
        await page.evaluate(
          `(async () => {
          const it = await navigator.serviceWorker.getRegistration();
          for (let worker; (worker = it.installing ?? it.waiting);)
            await new Promise((changed) => worker.addEventListener('statechange', changed, { once: true }));
        })()`,
        );
        expect(await page.getByText(en.lists.update).count()).toBe(0);
        const script = (await page.evaluate(
          "new URL(document.querySelector('script[type=module][src]').src).pathname",
        )) as string;
        front.change(worker.replace(`"${script}",`, ''));
        await page.evaluate('globalThis.isOld = true');
        await update();
        await page.getByText(en.lists.update).waitFor();
        // The page still runs, with its own files.
        expect(await page.evaluate('globalThis.isOld')).toBe(true);
        const reloaded = page.waitForEvent('load');
        await page.getByRole('button', { name: en.app.reload }).click();
        await reloaded;
        expect(await page.evaluate('globalThis.isOld')).toBeUndefined();
        await page.getByRole('textbox', { name: en.composer.label }).waitFor();
      },
    );
  },
);
