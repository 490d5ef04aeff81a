import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { enAgents } from '../../apps/web/text/en-agents.ts';
import { en } from '../../apps/web/text/en.ts';
import type { Story } from '../fixtures/open-story.ts';
import { scrollToBeginning } from '../fixtures/page.ts';
import type { ServeProcess } from '../fixtures/server.ts';

/** Height in pixels at which every entry of a conversation is visible. */
const FULL_HEIGHT = 3_600;

export interface Stage {
  page: Page;
  url: string;
  serving: ServeProcess;
  story: Story;
  folder: string;
}

export const key = (page: Page, keys: string) => page.keyboard.press(keys);

/** Closes dialogs and clears the focus, so that shortcuts work. */
async function clear(page: Page): Promise<void> {
  await key(page, 'Escape');
  await page.evaluate('document.activeElement?.blur()');
}

async function go({ page, url }: Stage, hash: string): Promise<void> {
  await page.goto(`${url}/#/${hash}`);
}

/** One screen, with the height of its window. */
export interface Screen {
  name: string;
  open: () => Promise<unknown>;
  height?: number;
}

/** The home page, the list, and the dialogs of all pages. */
export function everywhere(stage: Stage): Screen[] {
  const { page } = stage;
  const field = page.getByRole('textbox', { name: en.composer.label });
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
        for (const state of Object.values(en.state)) {
          await page.locator(`.sidebar [aria-label="${state}"]`).first().waitFor();
        }
      },
    },
    over('palette', 'Control+k', en.palette.title),
    over('overview of keys', '?', en.keys.title),
    {
      name: 'model picker',
      async open() {
        await clear(page);
        await page.getByRole('button', { name: en.composer.modelIs('') }).click();
        await page.getByRole('dialog', { name: en.composer.modelIs('') }).waitFor();
      },
    },
    {
      name: 'agent picker',
      async open() {
        await clear(page);
        await page.getByRole('button', { name: en.home.agent('') }).click();
        await page.getByRole('dialog', { name: en.home.agent('') }).waitFor();
      },
    },
    {
      name: 'picker of approvals',
      async open() {
        await clear(page);
        await page.getByRole('button', { name: en.composer.modeIs('') }).click();
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
        await page.getByText(en.sessions.nothingFound('zzzz')).waitFor();
      },
    },
  ];
}

/** The screens of a session between its question and its limit. */
export function atQuestion(stage: Stage): Screen[] {
  const { page, story } = stage;
  return [
    {
      name: 'question',
      height: FULL_HEIGHT,
      async open() {
        await go(stage, `s/${story.fix}`);
        await page.getByRole('button', { name: en.approval.review }).waitFor();
      },
    },
    {
      name: 'review, unified',
      async open() {
        await page.getByRole('button', { name: en.approval.review }).click();
        await page.locator('.hunk-head').first().waitFor();
      },
    },
    {
      name: 'review with a rejected hunk',
      async open() {
        await key(page, 'x');
        await page.getByText(en.approval.feedback, { exact: true }).click();
      },
    },
    {
      name: 'review, split',
      async open() {
        await key(page, 's');
        await page.getByRole('button', { name: en.approval.split, pressed: true }).waitFor();
      },
    },
    {
      name: 'review, a hunk edited',
      async open() {
        await key(page, 'e');
        await page.getByRole('button', { name: en.approval.editSave }).waitFor();
      },
    },
    {
      name: 'limit',
      height: FULL_HEIGHT,
      async open() {
        await page.getByRole('dialog').getByRole('button', { name: en.app.cancel, exact: true }).click();
        await key(page, 's');
        await clear(page);
        await story.answer(story.fix);
        await page
          .getByText(/ used\. Allow .* more\?$/)
          .first()
          .waitFor();
      },
    },
  ];
}

/** All kinds of entries, and the other views of a session. */
export function inSession(stage: Stage): Screen[] {
  const { page, story, folder } = stage;
  const openAll = async () => {
    await page.setViewportSize({ width: 1_280, height: FULL_HEIGHT });
    const folded = page.locator('.conversation [aria-expanded=false]');
    for (let left = await folded.count(); left > 0; left--) await folded.first().click();
  };
  const at = (name: string, hash: string, shown: string, then = async () => {}): Screen => ({
    name,
    height: FULL_HEIGHT,
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
      await page.getByText(en.facts.compacted(2).replace(/^2 /, '')).waitFor();
      await openAll();
    }),
    at('conversation that failed', `s/${broken}`, '.end-bad'),
    at('unknown address', 'nowhere', '.empty-title'),
    at('conversation under way', `s/${running}`, '.entry-user', async () => {
      await page.getByRole('button', { name: en.composer.stop }).waitFor();
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
      await page.getByRole('textbox', { name: en.sessions.renameLabel, exact: true }).waitFor();
    }),
    at('undo with a conflict', `s/${fix}`, '.end-good', async () => {
      await clear(page);
      writeFileSync(join(folder, 'src/merge-bookings.js'), '// mine\n');
      await key(page, 'u');
      await page.getByText(en.conversation.undoConflicts).waitFor();
    }),
    at('edit and fork', `s/${fix}`, '.end-good', async () => {
      await page.getByRole('button', { name: en.conversation.undoKeep }).click();
      await page.locator('.toast').first().waitFor();
      await page.setViewportSize({ width: 1_280, height: FULL_HEIGHT });
      const edit = page.getByRole('button', { name: en.conversation.edit }).first();
      // The list follows the entry of the undo at the end, until a person scrolls.
      await scrollToBeginning(page);
      await edit.click();
      await page.getByRole('dialog', { name: en.conversation.edit }).waitFor();
    }),
  ];
}

/** Chunks whose load fails in one screen. */
const PARTS = ['**/gate-view-*.js', '**/usage-page-*.js'];

/** Screens after failures. */
export function inTrouble(stage: Stage): Screen[] {
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
      name: 'agents',
      async open() {
        await reopen('agents');
        await page.locator('.agent-row').first().waitFor();
      },
    },
    {
      name: 'a new agent with invalid fields',
      height: FULL_HEIGHT,
      async open() {
        await reopen('agents/new');
        await page.locator('.agent-authority li').first().waitFor();
        await page.getByRole('button', { name: enAgents.save }).click();
        await page.locator('[aria-invalid=true]').first().waitFor();
      },
    },
    {
      name: 'a session that is gone',
      async open() {
        await reopen('s/01ARZ3NDEKTSV4RRFFQ69G5FAV');
        await page.getByText(en.sessions.gone).waitFor();
      },
    },
    {
      name: 'a view that failed to load',
      async open() {
        const json = { type: 'about:blank', title: 'The disk is full.', status: 503, code: 'unavailable' };
        await page.route(usage, (route) => route.fulfill({ status: 503, json }));
        await reopen('usage');
        await page.getByRole('button', { name: en.app.retry }).waitFor();
      },
    },
    {
      name: 'a message about a failure',
      async open() {
        await page.unroute(usage);
        await reopen(`s/${story.fix}`);
        await page.locator('.end-good').waitFor();
        await page.route('**/resume', (route) => route.abort());
        await key(page, 'r');
        await page.locator('.toast').waitFor();
      },
    },
    {
      name: 'a message with an action',
      async open() {
        await page.unroute('**/resume');
        await reopen(`s/${story.fix}`);
        await page.locator('.end-good').waitFor();
        await clear(page);
        await key(page, 'R');
        // It stays open while it is focused.
        await page.locator('.toast').getByRole('button', { name: en.conversation.toOriginal }).focus();
      },
    },
    {
      name: 'a part of the page that broke',
      async open() {
        for (const part of PARTS) await page.route(part, (route) => route.abort());
        await reopen(`s/${story.fix}/gate`);
        await page.getByText(en.app.broken).waitFor();
        // The other views work.
        await page.getByRole('link', { name: en.tabs.conversation }).click();
        await page.locator('.end-good').waitFor();
        await reopen('usage');
        await page.getByRole('heading', { name: en.app.broken }).waitFor();
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
        await page.getByText(en.link.offline).waitFor();
        await page.getByRole('textbox', { name: en.composer.label }).fill('Are you there?');
        await key(page, 'Enter');
        await page.getByText(en.composer.held).waitFor();
      },
    },
  ];
}
