import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { expectAccessible, ONE_LOOK, openPage, SECRET } from '../fixtures/page.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { startServeProcess, type ServeProcess } from '../fixtures/server.ts';
import { interruptRun, openStory, type Story } from '../fixtures/open-story.ts';
import { STORY_ENV, STORY_FILES, STORY_SCRIPT, STORY_TOKENS } from '../fixtures/story.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';

/** Milliseconds: axe looks at every screen four times, on a machine that may have other work. */
const LIMIT = 900_000;

/** What the list of sessions is made of. */
const LISTS = /\/api\/(?:events|settings|models|workspaces)/;

/** So high that every entry of a conversation is in sight. */
const WHOLE = 3_600;

interface Stage {
  page: Page;
  url: string;
  serving: ServeProcess;
  story: Story;
  folder: string;
}

const key = (page: Page, keys: string) => page.keyboard.press(keys);

/** Nothing over the page, and the focus nowhere: keys are commands again. */
async function clear(page: Page): Promise<void> {
  await key(page, 'Escape');
  await page.evaluate('document.activeElement?.blur()');
}

async function go({ page, url }: Stage, hash: string): Promise<void> {
  await page.goto(`${url}/#/${hash}`);
}

/** What is there before anything was said. */
async function lookAtBeginning(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Token').waitFor();
  await expectAccessible(page, 'sign-in');
  await page.getByLabel('Token').fill('wrong');
  await key(page, 'Enter');
  await page.getByText('That is not the token of this server.').waitFor();
  await expectAccessible(page, 'sign-in with a wrong token');
  // The list is on its way.
  await page.route(LISTS, () => {});
  await page.goto(`${url}/#token=${SECRET}`);
  await page.reload();
  await page.getByRole('status', { name: 'Loading…' }).first().waitFor();
  await expectAccessible(page, 'loading');
  await page.unroute(LISTS);
  await page.goto(`${url}/#token=${SECRET}`);
  await page.reload();
  await page.getByRole('heading', { name: 'What is to be done?' }).waitFor();
  await page.getByText('No sessions yet').waitFor();
  await expectAccessible(page, 'home without sessions');
}

/** One screen: how it is opened, and how high its window is. */
interface Screen {
  name: string;
  open: () => Promise<unknown>;
  height?: number;
}

/** `WEB_SCREENS='menu|rename'` looks at those alone. */
const CHOSEN = new RegExp(process.env['WEB_SCREENS'] ?? '');

/** Opens each screen in its turn and lets axe look. What cannot be opened is told with the rest at the end. */
async function lookAt(page: Page, screens: readonly Screen[]): Promise<string[]> {
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

/** Home, list and everything that opens over any page. */
function everywhere(stage: Stage): Screen[] {
  const { page } = stage;
  const field = page.getByRole('textbox', { name: 'Message' });
  const over = (name: string, keys: string, words: string): Screen => ({
    name,
    async open() {
      await clear(page);
      await key(page, keys);
      await page.getByRole('dialog', { name: words }).waitFor();
    },
  });
  const typed = (name: string, text: string): Screen => ({
    name,
    async open() {
      await clear(page);
      await field.fill(text);
      await page.getByRole('option').first().waitFor();
    },
  });
  return [
    {
      name: 'home with sessions in every state',
      async open() {
        await go(stage, '');
        for (const state of ['Running', 'Needs you', 'Done', 'Failed', 'Queued', 'Interrupted', 'Idle']) {
          await page.locator(`.sidebar [aria-label="${state}"]`).first().waitFor();
        }
      },
    },
    over('palette', 'Control+k', 'Commands'),
    over('overview of keys', '?', 'Keyboard'),
    over('preferences', 'Control+,', 'Preferences'),
    {
      name: 'model picker',
      async open() {
        await clear(page);
        await page.getByRole('button', { name: /^Model: / }).click();
        await page.getByRole('dialog', { name: /^Model: / }).waitFor();
      },
    },
    {
      name: 'picker of approvals',
      async open() {
        await clear(page);
        await page.getByRole('button', { name: /^Approvals: / }).click();
        await page.getByRole('menu').waitFor();
      },
    },
    typed('completion of files', 'Read @src'),
    typed('completion of commands', '/'),
    {
      name: 'results of a search',
      async open() {
        await field.fill('');
        await page.getByRole('searchbox').fill('bookings');
        await page.locator('.search-hit').first().waitFor();
      },
    },
    {
      name: 'a search that finds nothing',
      async open() {
        await page.getByRole('searchbox').fill('zzzz');
        await page.getByText('Nothing found').waitFor();
      },
    },
  ];
}

/** A session from its question to its limit. */
function atQuestion(stage: Stage): Screen[] {
  const { page, story } = stage;
  return [
    {
      name: 'question',
      height: WHOLE,
      async open() {
        await go(stage, `s/${story.fix}`);
        await page.getByRole('button', { name: 'Review the change' }).waitFor();
      },
    },
    {
      name: 'review, unified',
      async open() {
        await page.getByRole('button', { name: 'Review the change' }).click();
        await page.locator('.hunk-head').first().waitFor();
      },
    },
    {
      name: 'review with a rejected hunk',
      async open() {
        await key(page, 'x');
        await page.getByText('What the model is told', { exact: true }).click();
      },
    },
    {
      name: 'review, split',
      async open() {
        await key(page, 's');
        await page.getByRole('button', { name: 'Split', pressed: true }).waitFor();
      },
    },
    {
      name: 'review, a hunk edited',
      async open() {
        await key(page, 'e');
        await page.getByRole('button', { name: 'Take this text' }).waitFor();
      },
    },
    {
      name: 'limit',
      height: WHOLE,
      async open() {
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
        await key(page, 's');
        await clear(page);
        await story.answer(story.fix);
        await page.getByText('Go on beyond the limit?').first().waitFor();
      },
    },
  ];
}

/** Every kind of entry, and the other views of a session. */
function inSession(stage: Stage): Screen[] {
  const { page, story, folder } = stage;
  const openAll = async () => {
    await page.setViewportSize({ width: 1_280, height: WHOLE });
    const folded = page.locator('.conversation [aria-expanded=false]');
    for (let left = await folded.count(); left > 0; left--) await folded.first().click();
  };
  const at = (name: string, hash: string, shown: string, then = async () => {}): Screen => ({
    name,
    height: WHOLE,
    async open() {
      await go(stage, hash);
      await page.locator(shown).first().waitFor();
      await then();
    },
  });
  const { fix, report, broken, running } = story;
  return [
    at('conversation with everything open', `s/${fix}`, '.end-good', openAll),
    at('conversation with colours and a summary', `s/${report}`, '.end-good', async () => {
      await page.getByText('replaced by a summary').waitFor();
      await openAll();
    }),
    at('conversation that failed', `s/${broken}`, '.end-bad'),
    at('conversation under way', `s/${running}`, '.entry-user', async () => {
      await page.getByRole('button', { name: /^Stop/ }).waitFor();
    }),
    at('changes', `s/${fix}/changes`, '.diff-added'),
    at('files', `s/${fix}/files`, '.files', async () => {
      await page.getByRole('button', { name: 'src' }).click();
      await page.getByRole('button', { name: 'time.js' }).click();
      await page.locator('.file .tok-keyword').first().waitFor();
    }),
    at('gate', `s/${fix}/gate`, '.decision'),
    at('menu of a session', `s/${fix}`, '.end-good', () => page.locator('.session-head .menu-button').click()),
    at('rename', `s/${fix}`, '.end-good', async () => {
      await clear(page);
      await key(page, 't');
      await page.getByRole('textbox', { name: 'Title' }).waitFor();
    }),
    at('undo with a conflict', `s/${fix}`, '.end-good', async () => {
      await clear(page);
      writeFileSync(join(folder, 'src/merge-bookings.js'), '// mine\n');
      await key(page, 'u');
      await page.getByText('Changed meanwhile, and not by this session').waitFor();
    }),
    at('edit and fork', `s/${fix}`, '.end-good', async () => {
      await page.getByRole('button', { name: 'Undo, keep those' }).click();
      await page.getByText('put back.').first().waitFor();
      await page.setViewportSize({ width: 1_280, height: WHOLE });
      const edit = page.getByRole('button', { name: 'Edit and fork' }).first();
      // What the undo adds takes whoever is at the end along.
      const toBegin = () => page.evaluate("document.querySelector('.conversation-scroll').scrollTop = 0");
      await expect.poll(() => toBegin().then(() => edit.isVisible()), { timeout: 20_000 }).toBe(true);
      await edit.click();
      await page.getByRole('dialog', { name: 'Edit and fork' }).waitFor();
    }),
  ];
}

/** Parts of the page that come later, and once not at all. */
const PARTS = ['**/gate-view-*.js', '**/usage-page-*.js'];

/** What is shown when something is not as it should be. */
function inTrouble(stage: Stage): Screen[] {
  const { page, serving, story } = stage;
  const usage = '**/api/usage**';
  const reopen = async (hash: string) => {
    await clear(page);
    await go(stage, hash);
    await page.reload();
  };
  return [
    {
      name: 'usage',
      async open() {
        await reopen('usage');
        await page.locator('.usage-table').waitFor();
      },
    },
    {
      name: 'a session that is gone',
      async open() {
        await reopen('s/01ARZ3NDEKTSV4RRFFQ69G5FAV');
        await page.getByText('This session is gone').waitFor();
      },
    },
    {
      name: 'something that cannot be read',
      async open() {
        const json = { type: 'about:blank', title: 'The disk is full.', status: 503, code: 'unavailable' };
        await page.route(usage, (route) => route.fulfill({ status: 503, json }));
        await reopen('usage');
        await page.getByRole('button', { name: 'Try again' }).waitFor();
      },
    },
    {
      name: 'a message that something failed',
      async open() {
        await page.unroute(usage);
        await reopen(`s/${story.fix}`);
        await page.locator('.end-good').waitFor();
        await page.route('**/resume', (route) => route.abort());
        await key(page, 'r');
        await page.getByText('That did not work.').waitFor();
      },
    },
    {
      name: 'a message with something to do about it',
      async open() {
        await page.unroute('**/resume');
        await reopen(`s/${story.fix}`);
        await page.locator('.end-good').waitFor();
        await clear(page);
        await key(page, 'R');
        // It stays while the focus is in it.
        await page.locator('.toast').getByRole('button', { name: 'Go back' }).focus();
      },
    },
    {
      name: 'a part of the page that broke',
      async open() {
        for (const part of PARTS) await page.route(part, (route) => route.abort());
        await reopen(`s/${story.fix}/gate`);
        await page.getByText('This part of the page broke.').waitFor();
        // The rest of the session is there.
        await page.getByRole('link', { name: 'Conversation' }).click();
        await page.locator('.end-good').waitFor();
        await reopen('usage');
        await page.getByRole('heading', { name: 'This part of the page broke.' }).waitFor();
      },
    },
    {
      name: 'offline, with a message that waits',
      async open() {
        for (const part of PARTS) await page.unroute(part);
        await reopen(`s/${story.fix}`);
        await page.locator('.end-good').waitFor();
        serving.process.kill('SIGKILL');
        await serving.process.ended;
        await page.getByText('No connection to Klaus.').waitFor();
        await page.getByRole('textbox', { name: 'Message' }).fill('Are you there?');
        await key(page, 'Enter');
        await page.getByText('Not sent yet.').waitFor();
      },
    },
  ];
}

/** A quick round in the other language. */
async function lookInGerman(browser: Browser, { url, story }: Stage): Promise<void> {
  const { page, complaints } = await openPage(browser, { url, locale: 'de-DE' });
  await page.getByRole('heading', { name: 'Was ist zu tun?' }).waitFor();
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

  test('has nothing that axe finds wrong, light and dark, wide and narrow', { timeout: LIMIT }, async () => {
    using place = createTestHome(STORY_FILES);
    await using model = await startServer(STORY_SCRIPT);
    const interrupted = { place, server: model };
    const serving = await startServeProcess(place, model, {
      env: { ...STORY_ENV, AGENT_MAX_CONCURRENT_SESSIONS: '1' },
      words: ['--budget-tokens', `${STORY_TOKENS}`],
    });
    const { page, complaints } = await openPage(browser, { url: serving.url });
    try {
      await page.getByRole('heading', { name: 'What is to be done?' }).waitFor();
      await page.context().clearCookies();
      await page.goto('about:blank');
      await lookAtBeginning(page, serving.url);
      await interruptRun(interrupted);
      const story = await openStory(serving.client);
      const stage: Stage = { page, url: serving.url, serving, story, folder: place.workspace };
      const failures = await lookAt(page, atQuestion(stage));
      await story.answer(story.fix);
      await story.fillUp();
      failures.push(...(await lookAt(page, everywhere(stage))));
      await lookInGerman(browser, stage);
      for (const screens of [inSession, inTrouble]) failures.push(...(await lookAt(page, screens(stage))));
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
