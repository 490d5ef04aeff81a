import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { buildWeb } from '../../scripts/web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { expectAccessible, ONE_LOOK, openPage, SECRET } from '../fixtures/page.ts';
import { createPlace } from '../fixtures/place.ts';
import { test } from '../fixtures/sandboxed.ts';
import { startServeProcess, type ServeProcess } from '../fixtures/server.ts';
import { interruptRun, openStory, type Story } from '../fixtures/open-story.ts';
import { STORY_ENV, STORY_FILES, STORY_SCRIPT, STORY_TOKENS } from '../fixtures/story.ts';

/** Milliseconds: axe looks at every screen four times, on a machine that may have other work. */
const LIMIT = 400_000;

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

/** Home, list and everything that opens over any page. */
async function lookEverywhere(stage: Stage): Promise<void> {
  const { page } = stage;
  await go(stage, '');
  for (const state of ['Running', 'Needs you', 'Done', 'Failed', 'Queued', 'Interrupted', 'Idle']) {
    await page.getByRole('img', { name: state }).or(page.getByText(state)).first().waitFor();
  }
  await expectAccessible(page, 'home with sessions in every state');
  const over: [name: string, keys: string, words: string][] = [
    ['palette', 'Control+k', 'Commands'],
    ['overview of keys', '?', 'Keyboard'],
    ['preferences', 'Control+,', 'Preferences'],
  ];
  for (const [name, keys, words] of over) {
    await clear(page);
    await key(page, keys);
    await page.getByRole('dialog', { name: words }).waitFor();
    await expectAccessible(page, name);
  }
  await clear(page);
  await page.getByRole('button', { name: /^Model: / }).click();
  await page.getByRole('menu').waitFor();
  await expectAccessible(page, 'model picker');
  await clear(page);
  await page.getByRole('button', { name: /^Approvals: / }).click();
  await expectAccessible(page, 'picker of approvals');
  await clear(page);
  const field = page.getByRole('textbox', { name: 'Message' });
  for (const [name, text] of [
    ['completion of files', 'Read @src'],
    ['completion of commands', '/'],
  ] as const) {
    await field.fill(text);
    await page.getByRole('option').first().waitFor();
    await expectAccessible(page, name);
    await field.fill('');
  }
  await page.getByRole('searchbox').fill('bookings');
  await page.locator('.search-hit').first().waitFor();
  await expectAccessible(page, 'results of a search');
  await page.getByRole('searchbox').fill('zzzz');
  await page.getByText('Nothing found').waitFor();
  await expectAccessible(page, 'a search that finds nothing');
  await page.getByRole('searchbox').fill('');
}

/** A session from its question to its end. */
async function lookAtQuestion(stage: Stage): Promise<void> {
  const { page, story } = stage;
  await go(stage, `s/${story.mend}`);
  await page.getByRole('button', { name: 'Review the change' }).waitFor();
  await expectAccessible(page, 'question', { height: WHOLE });
  await page.getByRole('button', { name: 'Review the change' }).click();
  await page.locator('.hunk-head').first().waitFor();
  await expectAccessible(page, 'review, unified');
  await key(page, 'x');
  await page.getByText('What the model is told').click();
  await expectAccessible(page, 'review with a rejected hunk');
  await key(page, 's');
  await page.getByRole('button', { name: 'Split', pressed: true }).waitFor();
  await expectAccessible(page, 'review, split');
  await key(page, 'e');
  await page.getByRole('button', { name: 'Take this text' }).waitFor();
  await expectAccessible(page, 'review, a hunk edited');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await key(page, 's');
  await clear(page);
  await story.answer(story.mend);
  await page.getByText('Go on beyond the limit?').first().waitFor();
  await expectAccessible(page, 'limit', { height: WHOLE });
  await story.answer(story.mend);
  await page.locator('.end-good').waitFor();
}

/** Every kind of entry, and the other views of a session. */
async function lookAtSession(stage: Stage): Promise<void> {
  const { page, story, folder } = stage;
  await go(stage, `s/${story.mend}`);
  await page.setViewportSize({ width: 1_280, height: WHOLE });
  await page.locator('.end-good').waitFor();
  for (const open of await page.locator('.fold[aria-expanded=false], .call-head[aria-expanded=false]').all()) {
    await open.click();
  }
  await expectAccessible(page, 'conversation with everything open', { height: WHOLE });
  await go(stage, `s/${story.report}`);
  await page.getByText('replaced by a summary').waitFor();
  for (const open of await page.locator('.call-head[aria-expanded=false]').all()) await open.click();
  await page.locator('.terminal').first().waitFor();
  await expectAccessible(page, 'conversation with colours and a summary', { height: WHOLE });
  await go(stage, `s/${story.broken}`);
  await page.locator('.end-bad').waitFor();
  await expectAccessible(page, 'conversation that failed');
  await go(stage, `s/${story.running}`);
  await page.getByRole('button', { name: /^Stop/ }).waitFor();
  await page.getByText('They are sorted by their start').waitFor();
  await expectAccessible(page, 'conversation under way');
  await go(stage, `s/${story.mend}/changes`);
  await page.locator('.diff-added').first().waitFor();
  await expectAccessible(page, 'changes');
  await go(stage, `s/${story.mend}/files`);
  await page.getByRole('button', { name: 'src' }).click();
  await page.getByRole('button', { name: 'time.js' }).click();
  await page.locator('.file .tok-keyword').first().waitFor();
  await expectAccessible(page, 'files');
  await go(stage, `s/${story.mend}/gate`);
  await page.locator('.decision').first().waitFor();
  await expectAccessible(page, 'gate');
  await go(stage, `s/${story.mend}`);
  await page.locator('.end-good').waitFor();
  await page.locator('.session-head .menu-button').click();
  await expectAccessible(page, 'menu of a session');
  await clear(page);
  await key(page, 't');
  await page.getByRole('dialog', { name: 'Rename' }).waitFor();
  await expectAccessible(page, 'rename');
  await clear(page);
  writeFileSync(join(folder, 'src/merge-bookings.js'), '// mine\n');
  await key(page, 'u');
  await page.getByText('Changed meanwhile, and not by this session').waitFor();
  await expectAccessible(page, 'undo with a conflict');
  await page.getByRole('button', { name: 'Undo, keep those' }).click();
  await page.getByText('put back.').first().waitFor();
  await page.locator('.conversation-scroll').evaluate('(it) => { it.scrollTop = 0; }');
  await page.getByRole('button', { name: 'Edit and fork' }).first().click();
  await page.getByRole('dialog', { name: 'Edit and fork' }).waitFor();
  await expectAccessible(page, 'edit and fork');
  await clear(page);
}

/** What is shown when something is not as it should be. */
async function lookAtTrouble(stage: Stage): Promise<void> {
  const { page, serving, story } = stage;
  await go(stage, 'usage');
  await page.locator('.usage-table').waitFor();
  await expectAccessible(page, 'usage');
  await go(stage, 's/01ARZ3NDEKTSV4RRFFQ69G5FAV');
  await page.getByText('This session is gone').waitFor();
  await expectAccessible(page, 'a session that is gone');
  await page.route('**/api/usage**', (route) =>
    route.fulfill({ status: 503, json: { type: 'about:blank', title: 'The disk is full.', status: 503 } }),
  );
  await page.reload();
  await go(stage, 'usage');
  await page.getByText('Try again').waitFor();
  await expectAccessible(page, 'something that cannot be read');
  await page.unroute('**/api/usage**');
  await page.route('**/api/usage**', (route) => route.fulfill({ json: {} }));
  await page.reload();
  await page.getByText('This part of the page broke.').waitFor();
  await expectAccessible(page, 'a part that broke');
  await page.unroute('**/api/usage**');
  await go(stage, `s/${story.mend}`);
  await page.locator('.end-good').waitFor();
  await clear(page);
  await page.route('**/resume', (route) => route.abort());
  await key(page, 'r');
  await page.locator('.toast').first().waitFor();
  await expectAccessible(page, 'a message that something failed');
  serving.process.kill('SIGKILL');
  await serving.process.ended;
  await page.getByText('No connection to Klaus.').waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('Are you there?');
  await key(page, 'Enter');
  await page.getByText('Not sent yet.').waitFor();
  await expectAccessible(page, 'offline, with a message that waits');
}

/** A quick round in the other language. */
async function lookInGerman(browser: Browser, { url, story }: Stage): Promise<void> {
  const { page, complaints } = await openPage(browser, { url, locale: 'de-DE' });
  await page.getByRole('heading', { name: 'Was ist zu tun?' }).waitFor();
  await expectAccessible(page, 'German: home', { looks: ONE_LOOK });
  const rounds: [hash: string, shown: string][] = [
    [`s/${story.mend}`, '.end-good'],
    [`s/${story.tidy}`, '.approval'],
    [`s/${story.mend}/changes`, '.diff-added'],
    [`s/${story.mend}/files`, '.files'],
    [`s/${story.mend}/gate`, '.decision'],
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
    await buildWeb();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  test('has nothing that axe finds wrong, light and dark, wide and narrow', { timeout: LIMIT }, async () => {
    using place = createPlace(STORY_FILES);
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
      await lookAtQuestion(stage);
      await story.fillUp();
      await lookEverywhere(stage);
      await lookInGerman(browser, stage);
      await lookAtSession(stage);
      await lookAtTrouble(stage);
      // The part that was made to break says so, and nothing else does.
      expect(complaints.filter((it) => !/Cannot read properties of undefined|boundary/i.test(it))).toEqual([]);
    } finally {
      await page.close();
      serving.process.kill('SIGKILL');
      await serving.process.ended;
    }
  });
});
