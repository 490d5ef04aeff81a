// Covers apps/web/conversation, apps/web/log: long sessions in the page.
// @module-tag long
import { mkdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLongLog, toLastWords } from '../../bench/web/long-log.ts';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';

const SESSION = '01KE00000000000000000WEB1X';
const PROMPTS = 60;
const SECRET = 'a-secret-of-the-test';
/** Milliseconds, with time for a busy machine. */
const LIMIT = 240_000;
const LIST = 'document.querySelector(".conversation-scroll")';

/** Scrolls by the wheel until a condition of the page holds. Each look waits until the page is drawn. */
async function scroll(page: Page, by: number, until: string): Promise<void> {
  const look = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(${until}))))`;
  while (!(await page.evaluate(look))) await page.mouse.wheel(0, by);
}

/** Distance in pixels from the top of the window to a text. */
async function topOf(page: Page, text: string): Promise<number> {
  const box = await page.locator('.said', { hasText: text }).boundingBox();
  if (!box) throw new Error(`${text} is not shown`);
  return box.y;
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `long sessions in a browser${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    beforeAll(async () => {
      await provideWebPage();
      browser = await openBrowser();
    }, 60_000);
    afterAll(async () => {
      await browser?.close();
    });

    test('the end is shown before the rest is loaded, and the scroll position stays', { timeout: LIMIT }, async () => {
      using place = createTestHome();
      mkdirSync(place.home, { recursive: true, mode: 0o700 });
      await addLongLog(place, SESSION, { from: 0, count: PROMPTS });
      await using model = await startServer({ steps: [] });
      const serving = await startServeProcess(place, model);
      const page = await browser.newPage({ locale: 'en-GB' });
      page.setDefaultTimeout(60_000);
      const rest = Promise.withResolvers<void>();
      await page.route(/\/events\?after=0$/, async (route) => {
        await rest.promise;
        await route.continue();
      });
      try {
        await page.goto(`${serving.url}/#token=${SECRET}`);
        await page.goto(`${serving.url}/#/s/${SESSION}`);
        const log = page.getByRole('log', { name: en.conversation.label });
        await log.getByText(toLastWords(PROMPTS - 1)).waitFor();
        // No totals until the session is loaded.
        expect(await page.locator('.status-cost').count()).toBe(0);
        await page.keyboard.press('i');
        await page.keyboard.type('A draft');
        expect(await page.getByRole('textbox', { name: en.composer.label }).inputValue()).toBe('A draft');

        const words = `Step ${PROMPTS - 3}:`;
        await log.hover();
        await scroll(page, -100, `${LIST}.innerText.includes('${words}')`);
        await page.mouse.wheel(0, -100);
        const said = page.locator('.said', { hasText: words });
        await said.waitFor();
        const before = await topOf(page, words);
        rest.resolve();
        await page.locator('.status-cost').waitFor();
        await expect
          .poll(async () => Math.abs((await topOf(page, words)) - before), { timeout: 30_000 })
          .toBeLessThan(3);

        await scroll(page, -3_000, `${LIST}.scrollTop === 0`);
        await log.getByText('Step 0:').waitFor();
        expect(await page.locator('.conversation-scroll *').count()).toBeLessThan(400);
        const session = await serving.client.session({ params: { id: SESSION } });
        const shown = await page.locator('.status-cost').innerText();
        expect(shown).toContain(
          new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(session.usd!),
        );
      } finally {
        rest.resolve();
        await page.close();
        serving.process.kill('SIGKILL');
        await serving.process.ended;
      }
    });

    test('of a long answer only the visible parts are rendered', { tags: ['long'], timeout: LIMIT }, async () => {
      const section = 'Some **words** that a paragraph has.\n\n```js\nconst a = 1;\n```\n\n- one\n- two\n\n';
      using place = createTestHome();
      await using model = await startServer({
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          { chunk: 2_000, reply: { text: `# The beginning\n\n${section.repeat(1_500)}That is the end.` } },
        ],
      });
      const serving = await startServeProcess(place, model);
      const page = await browser.newPage({ locale: 'en-GB' });
      page.setDefaultTimeout(60_000);
      try {
        await page.goto(`${serving.url}/#token=${SECRET}`);
        const { session } = await serving.client.openSession({ body: { text: 'Write all of it.' } });
        await page.goto(`${serving.url}/#/s/${session}`);
        const log = page.getByRole('log', { name: en.conversation.label });
        await page.locator('.end').waitFor();
        await log.getByText('That is the end.').waitFor();
        expect(await page.locator('.conversation-scroll *').count()).toBeLessThan(1_000);
        await log.hover();
        await scroll(page, -5_000, `${LIST}.scrollTop === 0`);
        await log.getByRole('heading', { name: 'The beginning' }).waitFor();
        expect(await page.locator('.conversation-scroll *').count()).toBeLessThan(1_000);
      } finally {
        await page.close();
        serving.process.kill('SIGKILL');
        await serving.process.ended;
      }
    });
  },
);
