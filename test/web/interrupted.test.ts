// Covers apps/web/conversation: a call whose process ended is shown as interrupted.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startKlaus } from '../fixtures/klaus.ts';
import { openPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `an interrupted call on the page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;

    beforeAll(async () => {
      await provideWebPage();
      browser = await openBrowser();
      const command = 'until [ -e go ]; do sleep 0.05; done';
      it = await startTestServer({
        script: {
          steps: [
            { when: { tools: false }, reply: { text: 'A title' } },
            { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command } }] } },
          ],
          fallback: { text: 'Done.' },
        },
      });
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    test('it has neither the animation nor the clock of a running call', async () => {
      const running = startKlaus(['--approve', 'auto', '--json', 'please wait'], { place: it.place, server: it.model });
      await running.printed('stdout', '"tool.started"');
      const [session] = await it.klaus.sessions();
      const { page } = await openPage(browser, { url: it.server.url, token: it.server.token! });
      await page.goto(`${it.server.url}/#/s/${session!.id}`);
      const call = page.locator('.call');
      await call.getByRole('img', { name: en.call.running }).waitFor();
      running.kill('SIGKILL');
      await running.ended;
      await call.getByRole('img', { name: en.call.interrupted }).waitFor();
      expect(await page.locator('.conversation .spin').count()).toBe(0);
      expect(await call.locator('.call-facts').innerText()).toBe(en.call.interrupted);
    });
  },
);
