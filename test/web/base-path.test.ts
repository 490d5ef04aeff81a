// Covers apps/server/http, apps/server/access/sign-in, apps/web/state, apps/web/offline: the server and its page below a path of a proxy.
import type { Browser } from 'playwright-core';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { once } from 'node:events';
import { createClient } from '@klaus/server/client';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { createCookieBrowser } from '../fixtures/cookie-browser.ts';
import { startOidcProvider } from '../fixtures/oidc-provider.ts';
import { until, watch } from '../fixtures/page.ts';
import { hasNginx, REVERSE_PROXIES, startReverseProxy, type ReverseProxyOptions } from '../fixtures/reverse-proxy.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const BASE = '/tools/klaus';
const WAYS = REVERSE_PROXIES.flatMap((kind) => [true, false].map((strips) => ({ kind, strips })));

async function start({ kind, strips }: Pick<ReverseProxyOptions, 'kind' | 'strips'>, env: Record<string, string> = {}) {
  const it = await startTestServer({ env: { KLAUS_SERVER_BASE_PATH: BASE, ...env } });
  onTestFinished(() => it[Symbol.asyncDispose]());
  const target = Number(new URL(it.server.url).port);
  const proxy = await startReverseProxy({ kind, target, path: BASE, strips });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return { it, origin: proxy.origin, url: `${proxy.origin}${BASE}` };
}

async function connects(origin: string, { server }: TestServer): Promise<void> {
  const extraHeaders = { authorization: `Bearer ${server.token}` };
  for (const transports of [['websocket'], ['polling']]) {
    const socket = io(origin, {
      path: `${BASE}/socket.io/`,
      extraHeaders,
      transports,
      reconnection: false,
      forceNew: true,
    });
    await new Promise<void>((resolve, reject) => {
      socket.on('connect', resolve);
      socket.on('connect_error', reject);
    });
    socket.close();
  }
  const chat = new WebSocket(`${origin.replace('http', 'ws')}${BASE}/ws/chat/klaus`, { headers: extraHeaders });
  await once(chat, 'open');
  chat.close();
}

describe.each(WAYS)('$kind, strips: $strips', (way) => {
  test.skipIf(way.kind === 'nginx' && !hasNginx)(
    'programs and sockets (nginx: needs it, or its path in NGINX)',
    async () => {
      const { it, origin, url } = await start(way);
      const client = createClient({ baseUrl: url, token: it.server.token });
      const { session } = await client.openSession({ body: {} });
      expect((await client.session({ params: { id: session } })).id).toBe(session);
      expect(await client.openapi()).toMatchObject({ servers: [{ url: BASE }] });
      await connects(origin, it);
    },
  );

  test.skipIf(way.kind === 'nginx' && !hasNginx)(
    'the sign-in at a provider (nginx: needs it, or its path in NGINX)',
    async () => {
      await using provider = await startOidcProvider({
        alice: { email: 'alice@example.com', email_verified: true, groups: ['staff'] },
      });
      const { url, it } = await start(way, {
        KLAUS_SERVER_SIGN_IN: 'oidc',
        KLAUS_SERVER_ROLES: 'staff=admin',
        KLAUS_OIDC_ISSUER: provider.issuer,
        KLAUS_OIDC_CLIENT_ID: provider.clientId,
        KLAUS_OIDC_CLIENT_SECRET: provider.clientSecret,
      });
      await provider.open(`${url}/api/sign-in/callback`);
      const browser = createCookieBrowser();
      const begun = `${url}/api/sign-in/start?to=${encodeURIComponent('#/usage')}`;
      const callback = await browser.run(begun, { fields: { login: 'alice', password: 'x' }, end: `${url}/` });
      const answer = await browser.visit(callback.href);
      expect(answer.headers.get('location')).toBe(`${BASE}/#/usage`);
      const paths = answer.headers.getSetCookie().map((line) => /; Path=([^;]+)/.exec(line)?.[1] ?? '');
      expect(new Set(paths)).toEqual(new Set([`${BASE}/`, `${BASE}/api/sign-in/callback`]));
      expect((await browser.visit(`${url}/api/sessions`)).status).toBe(200);
      expect(it.server.url).toMatch(new RegExp(`${BASE}$`));
    },
  );
});

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  beforeAll(async () => {
    await provideWebPage();
    browser = await openBrowser();
  }, 120_000);
  afterAll(() => browser?.close());

  test.each(WAYS)('$kind, strips: $strips (nginx: needs it, or its path in NGINX)', async (way) => {
    if (way.kind === 'nginx' && !hasNginx) return;
    const { it, origin, url } = await start(way);
    const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'allow' });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints = watch(page);
    const wrong: string[] = [];
    context.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith(`${BASE}/`) && pathname !== BASE) wrong.push(pathname);
      if (response.status() >= 400 && response.status() !== 401) wrong.push(`${response.status()} ${pathname}`);
    });
    await page.goto(`${url}#token=${it.server.token}`);
    await page.getByRole('textbox', { name: en.composer.label }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`${BASE}/`);
    expect((await context.cookies()).map(({ path }) => path)).toEqual([`${BASE}/`]);
    // The list is a stream.
    const { session } = await it.client.openSession({ body: {} });
    await it.client.changeSession({ params: { id: session }, body: { title: 'Kept title' } });
    await page.getByRole('link', { name: 'Kept title' }).click();
    await page.getByRole('textbox', { name: en.composer.label }).fill('go');
    await page.keyboard.press('Enter');
    await page.getByText('Done.', { exact: true }).first().waitFor();
    await until(page, 'navigator.serviceWorker.controller');
    await page.reload();
    await page.getByRole('textbox', { name: en.composer.label }).waitFor();
    const stored = (await page.evaluate(`(async () => {
      while (!(await caches.match('${BASE}/'))) await new Promise((resolve) => setTimeout(resolve, 20));
      const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
      return all.flat().map(({ url }) => new URL(url).pathname);
    })()`)) as string[];
    expect(stored.filter((path) => !path.startsWith(`${BASE}/`))).toEqual([]);
    expect(wrong).toEqual([]);
    expect(complaints).toEqual([]);
    expect(origin).toBe(new URL(page.url()).origin);
  });
});

test('a path with which the server begins paths of its own is refused', async () => {
  for (const path of ['/api', '/assets/klaus'])
    await expect(startTestServer({ env: { KLAUS_SERVER_BASE_PATH: path } })).rejects.toMatchObject({ code: 'config' });
});
