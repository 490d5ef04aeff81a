// Covers apps/web: every screen, with accessibility rules.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { de } from '../../apps/web/text/de.ts';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { expectAccessible, ONE_LOOK, openPage, SECRET } from '../fixtures/page.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { interruptRun, openStory } from '../fixtures/open-story.ts';
import { STORY_ENV, STORY_FILES, STORY_SCRIPT, STORY_TOKENS } from '../fixtures/story.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { atQuestion, everywhere, inSession, inTrouble, key, type Screen, type Stage } from './screens.ts';

/** Milliseconds: axe checks every screen four times, with time for a busy machine. */
const LIMIT = 900_000;

/** Requests of the home page. */
const LISTS = /\/api\/(?:events|settings|models|workspaces)/;

/** Checks the screens before the first session. */
async function checkBeginning(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel(en.signIn.token).waitFor();
  await expectAccessible(page, 'sign-in');
  await page.getByLabel(en.signIn.token).fill('wrong');
  await key(page, 'Enter');
  await page.getByText(en.signIn.wrong).waitFor();
  await expectAccessible(page, 'sign-in with a wrong token');
  // The list is loading.
  await page.route(LISTS, () => {});
  await page.goto(`${url}/#token=${SECRET}`);
  await page.reload();
  await page.getByRole('status', { name: en.app.loading }).first().waitFor();
  await expectAccessible(page, 'loading');
  await page.unroute(LISTS);
  await page.goto(`${url}/#token=${SECRET}`);
  await page.reload();
  await page.getByRole('heading', { name: en.home.title }).waitFor();
  await page.getByText(en.sessions.none).waitFor();
  await expectAccessible(page, 'home without sessions');
}

/** `WEB_SCREENS='menu|rename'` checks only those. */
const CHOSEN = new RegExp(process.env['WEB_SCREENS'] ?? '');

/** Opens each screen and checks it with axe. Returns the screens that could not be opened. */
async function checkScreens(page: Page, screens: readonly Screen[]): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, open, height } of screens) {
    try {
      await open();
      if (!CHOSEN.test(name)) continue;
      await expectAccessible(page, name, height === undefined ? {} : { height });
    } catch (error) {
      failures.push(`${name}: ${String(error).slice(0, 400)}`);
    }
  }
  return failures;
}

/** Checks some screens in German. */
async function checkGerman(browser: Browser, { url, story }: Stage): Promise<void> {
  const { page, complaints } = await openPage(browser, { url, locale: 'de-DE' });
  await page.getByRole('heading', { name: de.home.title }).waitFor();
  await expectAccessible(page, 'German: home', { looks: ONE_LOOK });
  const rounds: [hash: string, shown: string][] = [
    [`s/${story.fix}`, '.end-good'],
    [`s/${story.tidy}`, '.approval'],
    [`s/${story.fix}/changes`, '.diff-added'],
    [`s/${story.fix}/files`, '.files'],
    [`s/${story.fix}/gate`, '.decision'],
    ['usage', '.usage-table'],
  ];
  for (const [hash, shown] of rounds) {
    await page.goto(`${url}/#/${hash}`);
    await page.locator(shown).first().waitFor();
    await expectAccessible(page, `German: ${hash}`, { looks: ONE_LOOK });
  }
  expect(complaints).toEqual([]);
  await page.close();
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(`every screen${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  beforeAll(async () => {
    await provideWebPage();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  test('passes axe, light and dark, wide and narrow', { timeout: LIMIT }, async () => {
    using place = createTestHome(STORY_FILES);
    await using model = await startServer(STORY_SCRIPT);
    const interrupted = { place, server: model };
    const serving = await startServeProcess(place, model, {
      env: { ...STORY_ENV, AGENT_MAX_CONCURRENT_SESSIONS: '1' },
      words: ['--budget-tokens', `${STORY_TOKENS}`],
    });
    const { page, complaints } = await openPage(browser, { url: serving.url });
    try {
      await page.getByRole('heading', { name: en.home.title }).waitFor();
      await page.context().clearCookies();
      await page.goto('about:blank');
      await checkBeginning(page, serving.url);
      await interruptRun(interrupted);
      const story = await openStory(serving.client);
      const stage: Stage = { page, url: serving.url, serving, story, folder: place.workspace };
      const failures = await checkScreens(page, atQuestion(stage));
      await story.answer(story.fix);
      await story.fillUp();
      failures.push(...(await checkScreens(page, everywhere(stage))));
      await checkGerman(browser, stage);
      for (const screens of [inSession, inTrouble]) failures.push(...(await checkScreens(page, screens(stage))));
      expect(failures).toEqual([]);
      const broken = /Failed to fetch dynamically imported module/;
      expect(complaints.filter((complaint) => !broken.test(complaint))).toEqual([]);
    } finally {
      await page.close();
      serving.process.kill('SIGKILL');
      await serving.process.ended;
    }
  });
});
