// Covers apps/web/style: with reduced motion, nothing on the page moves, from the first screen to the end of a run.
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { enSettings } from '../../apps/web/text/settings/en-settings.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, watch } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

/** Milliseconds, with time for a busy machine. */
const LIMIT = { timeout: 240_000 };
const WAIT = { timeout: 30_000 };
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { turn: 0 },
      reply: {
        text: 'I write it.',
        calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'one\ntwo\n' } }],
      },
    },
    // The run is shown in progress until the test cancels it.
    { when: { user: 'write', turn: 1 }, reply: { text: 'x' }, faults: [{ kind: 'hang', after: 0, keepAlive: true }] },
  ],
  fallback: { text: 'Done.' },
};

/**
 * Runs in the page from before its first script: names every element that has been seen with an animation or a transition
 * that has a duration.
 */
const WATCH = `
  globalThis.seenMotion = new Set();
  const look = () => {
    for (const { effect } of document.getAnimations()) {
      const { target, pseudoElement } = effect ?? {};
      if (effect && effect.getTiming().duration !== 0)
        seenMotion.add((target?.localName ?? '') + '.' + (target?.getAttribute('class') ?? '') + (pseudoElement ?? ''));
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

describe.skipIf(WITHOUT_BROWSER !== undefined)(`motion${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  async function open(reducedMotion: 'reduce' | 'no-preference') {
    const page = await browser.newPage({ locale: 'en-GB', reducedMotion });
    const complaints = watch(page);
    await page.addInitScript(WATCH);
    await page.goto(`${it.server.url}/#token=${it.server.token!}`);
    await page.getByRole('heading', { name: en.home.title }).waitFor();
    return { page, complaints };
  }

  const readMotion = (page: Page) => page.evaluate<string[]>('[...seenMotion]');

  /** Opens the palette, a menu, the settings and a review; sends a prompt, answers its question, and cancels its run. */
  async function play(page: Page): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: en.composer.modeIs(en.composer.modeNames.auto) }).click();
    await page.getByRole('menu').waitFor();
    await page.getByRole('menuitemradio', { name: en.composer.modeTexts.ask }).click();
    await page.getByRole('textbox', { name: en.composer.label }).fill('write it');
    await page.keyboard.press('Enter');
    const question = page.locator('[data-question]');
    await question.getByRole('button', { name: en.approval.review }).click();
    await page.getByRole('dialog').locator('.hunk-head').first().waitFor();
    await expectAccessible(page, 'a review');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: en.approval.approve, exact: true }).click();
    await page.locator('.status').getByText(en.status.elapsed).waitFor();
    await expectAccessible(page, 'a run');
    await page.getByRole('button', { name: en.composer.stop }).click();
    await page.locator('.end-muted').waitFor();
    await page.goto(`${it.server.url}/#/settings/appearance`);
    await page.getByRole('heading', { name: enSettings.sections.appearance, level: 2 }).waitFor();
  }

  test('with reduced motion no element has an animation or a transition', LIMIT, async () => {
    const { page, complaints } = await open('reduce');
    await play(page);
    expect(await readMotion(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('without it there are some, so that the check can find them', LIMIT, async () => {
    const { page } = await open('no-preference');
    await page.getByRole('textbox', { name: en.composer.label }).fill('write it');
    await page.keyboard.press('Enter');
    await expect.poll(() => readMotion(page), WAIT).not.toEqual([]);
    await page.close();
  });
});
