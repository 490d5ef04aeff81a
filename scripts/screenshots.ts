import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { en } from '../apps/web/text/en.ts';
import { openStory } from '../test/fixtures/open-story.ts';
import { openBrowser, WITHOUT_BROWSER } from '../test/fixtures/browser.ts';
import { startServer } from '../test/fixtures/klaus.ts';
import { openPage } from '../test/fixtures/page.ts';
import { createTestHome } from '../test/fixtures/test-home.ts';
import { startServeProcess } from '../test/fixtures/server.ts';
import { STORY_ENV, STORY_FILES, STORY_SCRIPT, STORY_TOKENS } from '../test/fixtures/story.ts';
import { provideWebPage } from './provide-web.ts';

/** The screenshots of the manual: `npm run screenshots`. They show the story of the tests, on a separate server. */
const FOLDER = join(import.meta.dirname, '../docs/images');

interface Shot {
  name: string;
  scheme?: 'light' | 'dark';
  width?: number;
  height?: number;
}

async function shoot(page: Page, { name, scheme = 'light', width = 1_280, height = 720 }: Shot): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height });
  await page.mouse.move(0, 0);
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
  console.log(`docs/images/${name}.png`);
}

async function shootAll(): Promise<void> {
  await provideWebPage();
  mkdirSync(FOLDER, { recursive: true });
  using place = createTestHome(STORY_FILES);
  await using model = await startServer(STORY_SCRIPT);
  const serving = await startServeProcess(place, model, {
    env: { ...STORY_ENV, AGENT_MAX_CONCURRENT_SESSIONS: '1' },
    words: ['--budget-tokens', `${STORY_TOKENS}`],
  });
  await using browser = await openBrowser();
  const { page } = await openPage(browser, { url: serving.url });
  const open = async (hash: string, shown: string): Promise<void> => {
    await page.goto(`${serving.url}/#/${hash}`);
    await page.locator(shown).first().waitFor();
  };
  try {
    const story = await openStory(serving.client);
    await open(`s/${story.fix}`, '.approval');
    await shoot(page, { name: 'question' });
    await shoot(page, { name: 'phone', width: 360, height: 720 });
    await page.getByRole('button', { name: en.approval.review }).click();
    await page.locator('.hunk-head').nth(2).waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('k');
    await shoot(page, { name: 'review' });
    await page.keyboard.press('s');
    await shoot(page, { name: 'review-split', scheme: 'dark' });
    await page.keyboard.press('s');
    await page.keyboard.press('Escape');
    await story.answer(story.fix);
    await page
      .getByText(/ used\. Allow .* more\?$/)
      .first()
      .waitFor();
    await shoot(page, { name: 'limit' });
    await story.answer(story.fix);
    await page.locator('.end-good').waitFor();
    await page.locator('.session-head .state-done').waitFor();
    await shoot(page, { name: 'done', scheme: 'dark' });
    await open(`s/${story.fix}/changes`, '.changes .diff-added');
    await shoot(page, { name: 'changes' });
    await open('settings/model', '.setting');
    await shoot(page, { name: 'settings' });
    await open('usage', '.usage-table');
    await shoot(page, { name: 'usage' });
  } finally {
    await page.close();
    serving.process.kill('SIGKILL');
    await serving.process.ended;
  }
}

if (WITHOUT_BROWSER === undefined) await shootAll();
else {
  console.error(`No screenshots ${WITHOUT_BROWSER}.`);
  process.exitCode = 1;
}
