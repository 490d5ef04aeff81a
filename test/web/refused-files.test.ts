// Covers apps/web/index.html, apps/server/http: a page whose files a proxy or the server refuses.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startTestServer } from '../fixtures/server.ts';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** A proxy that passes its own name of the server as host, as nginx does by default. */
async function startProxy(target: string, { below = '' }: { below?: string } = {}): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(below)) return void outgoing.writeHead(404).end('Not found');
    const path = url.slice(below.length) || '/';
    const own = { ...headers, host: new URL(target).host };
    const passed = request(`${target}${path}`, { method, headers: own }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${below}`;
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `a page behind a proxy${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  { tags: ['long'] },
  () => {
    beforeAll(() => provideWebPage());

    test.each([
      ['that changes the host', {}, /403 .*AGENT_CORS_ORIGIN/],
      ['that serves it below a path', { below: '/klaus' }, /404/],
    ])('%s shows why it is empty', async (_, options, reason) => {
      await using it = await startTestServer();
      await using browser = await openBrowser();
      await using context = await browser.newContext({ locale: 'en-US' });
      const page = await context.newPage();
      await page.goto(`${await startProxy(it.server.url, options)}/`);
      const note = page.getByRole('alert');
      await note.waitFor();
      expect(await note.textContent()).toMatch(reason);
    });
  },
);
