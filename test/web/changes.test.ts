// Covers apps/web/changes, apps/web/comments, apps/web/diff: what a session changed, and comments on it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deChanges } from '../../apps/web/text/changes/de-changes.ts';
import { enChanges } from '../../apps/web/text/changes/en-changes.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const FILES = {
  'src/total.ts': 'export const rate = 19;\nexport const total = (net: number) => net * rate;\n',
  'src/deep/list.ts': 'const a = [\none,\ntwo,\n];\n',
  'notes.md': '# Notes\n',
};
const TOTAL = 'export const rate = 7;\nexport const total = (net: number) => net * rate;\n';
const LIST = 'const a = [\n  one,\n  two,\n];\n';
const HOSTILE = '<img src=x onerror=alert(1)>.txt';

const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { user: 'change the rate', turn: 0 },
      reply: {
        calls: [
          { name: 'read_file', input: { path: 'src/total.ts' } },
          { name: 'read_file', input: { path: 'src/deep/list.ts' } },
        ],
      },
    },
    {
      when: { user: 'change the rate', turn: 1 },
      reply: {
        calls: [
          write('src/total.ts', TOTAL),
          write('src/deep/list.ts', LIST),
          write('new.txt', 'new\n'),
          write(HOSTILE, '<script>alert(1)</script>\n'),
        ],
      },
    },
    {
      when: { user: 'rename it', turn: 0 },
      reply: { calls: [write('other.txt', 'other\n')] },
    },
    { when: { user: 'again', turn: 3 }, reply: { calls: [write('new.txt', 'newer\n')] } },
  ],
  fallback: { text: 'Done.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `changes on the page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;
    let complaints: string[];
    let session: string;

    const path = (name: string) => join(it.place.workspace, name);
    const list = () => page.getByRole('group', { name: en.changes.title, exact: true });
    const tree = () => page.getByRole('navigation', { name: enChanges.tree });
    const viewed = (name: string) => page.getByRole('checkbox', { name: `${enChanges.viewed} ${name}` });
    const run = async (text: string) => {
      await it.client.sendPrompt({ params: { id: session }, body: { text } });
      await page.locator('.session-head .state-done').waitFor();
    };

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({ script: SCRIPT, files: FILES });
      browser = await openBrowser();
      ({ page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
      await page.getByRole('heading', { name: en.home.title }).waitFor();
      ({ session } = await it.client.openSession({ body: { text: 'change the rate', mode: 'edits' } }));
      await page.goto(`${it.server.url}/#/s/${session}`);
      await page.locator('.end-good').waitFor();
      await page.goto(`${it.server.url}/#/s/${session}/changes`);
      await list().waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    test('the changed words of a line are marked, in the colours of its language', async () => {
      const row = list().locator('.diff-removed').filter({ hasText: 'rate = 19' });
      await row.waitFor();
      expect(await row.locator('.diff-word').allTextContents()).toEqual(['19']);
      await row.locator('.tok-keyword').first().waitFor();
      const added = list().locator('.diff-added').filter({ hasText: 'rate = 7' });
      expect(await added.locator('.diff-word').allTextContents()).toEqual(['7']);
    });

    test('the tree has a state and counts for each file, and goes to it', async () => {
      await tree()
        .getByRole('button', { name: /total\.ts/ })
        .waitFor();
      const names = await tree().getByRole('button').allInnerTexts();
      expect(names.length).toBe(4);
      const total = tree().getByRole('button', { name: /total\.ts/ });
      await total.getByRole('img', { name: enChanges.lines(1, 1) }).waitFor();
      // A name is shown as text.
      await tree().getByText(HOSTILE).waitFor();
      expect(await page.locator('img[src="x"]').count()).toBe(0);
      await total.click();
      await list()
        .getByRole('heading', { name: /total\.ts/ })
        .waitFor();
    });

    test(
      'without whitespace, a hunk keeps a note and can be shown, and the choice is remembered',
      { tags: ['long'] },
      async () => {
        const toggle = page.getByRole('checkbox', { name: enChanges.ignoreSpace });
        await toggle.check();
        const note = list().getByText(enChanges.folded(4));
        await note.waitFor();
        expect(await list().getByText('  one,', { exact: true }).count()).toBe(0);
        await page.reload();
        await note.waitFor();
        await list().getByRole('button', { name: enChanges.unfold }).click();
        await note.waitFor({ state: 'detached' });
        expect(await list().locator('.diff-added').filter({ hasText: 'one,' }).count()).toBe(1);
        await toggle.uncheck();
      },
    );

    test('a viewed file is collapsed and counted until it changes again', async () => {
      await viewed('new.txt').check();
      await page.getByText(enChanges.viewedOf(1, 4)).waitFor();
      const head = list().getByRole('button', { name: 'new.txt', exact: true });
      expect(await head.getAttribute('aria-expanded')).toBe('false');
      await tree().getByRole('img', { name: enChanges.viewed }).waitFor();
      await page.reload();
      await page.getByText(enChanges.viewedOf(1, 4)).waitFor();
      await run('again');
      await page.getByText(enChanges.viewedOf(0, 4)).waitFor();
      await list().getByText('newer').waitFor();
    });

    test('one turn can be shown alone', async () => {
      const choice = page.getByRole('combobox', { name: en.changes.choose });
      const [, first] = await choice.locator('option').all();
      await choice.selectOption((await first!.getAttribute('value'))!);
      // In this turn, the file has the content that was viewed.
      await page.getByText(enChanges.viewedOf(1, 4)).waitFor();
      await list().getByRole('button', { name: 'new.txt', exact: true }).click();
      await list().getByText('new', { exact: true }).waitFor();
      await choice.selectOption('');
      await list().getByText('newer').waitFor();
      expect(await viewed('new.txt').isChecked()).toBe(false);
    });

    test('a file is reverted with a preview, and the redo restores it', { tags: ['long'] }, async () => {
      const revert = page.getByRole('button', { name: enChanges.revert('src/total.ts') });
      await revert.click();
      const dialog = page.getByRole('dialog', { name: enChanges.revertTitle('src/total.ts') });
      await dialog.getByText('src/total.ts', { exact: true }).waitFor();
      await expectAccessible(page, 'revert');
      await dialog.getByRole('button', { name: enChanges.revertDo }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(readFileSync(path('src/total.ts'), 'utf8')).toBe(FILES['src/total.ts']);
      await page.getByText(enChanges.viewedOf(0, 3)).waitFor();
      expect(await revert.count()).toBe(0);
      await page.locator('.changes-head').getByRole('button', { name: en.changes.redo }).click();
      await page.getByText(enChanges.viewedOf(0, 4)).waitFor();
      expect(readFileSync(path('src/total.ts'), 'utf8')).toBe(TOTAL);
    });

    test('a file that the user changed since is reverted only after a decision', { tags: ['long'] }, async () => {
      writeFileSync(path('src/total.ts'), 'mine\n');
      await page.reload();
      // The changes of the session are shown, and not the one of the user.
      await list().locator('.diff-added').filter({ hasText: 'rate = 7' }).waitFor();
      expect(await list().getByText('mine').count()).toBe(0);
      await page.getByRole('button', { name: enChanges.revert('src/total.ts') }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(en.conversation.undoConflicts).waitFor();
      expect(await dialog.getByRole('button', { name: enChanges.revertDo, exact: true }).count()).toBe(0);
      await dialog.getByRole('button', { name: en.app.cancel }).click();
      expect(readFileSync(path('src/total.ts'), 'utf8')).toBe('mine\n');
      writeFileSync(path('src/total.ts'), TOTAL);
      await page.reload();
    });

    test(
      'comments are written with the keyboard, kept, edited, removed and sent as one message',
      { tags: ['long'] },
      async () => {
        await list().locator('.diff-added').filter({ hasText: 'rate = 7' }).waitFor();
        await page.evaluate('document.activeElement?.blur()');
        await page.keyboard.press('j');
        const focused = page.locator('.comment-add:focus');
        await focused.waitFor();
        const first = await focused.getAttribute('aria-label');
        await page.keyboard.press('ArrowDown');
        await expect.poll(() => focused.getAttribute('aria-label')).not.toBe(first);
        await page.keyboard.press('k');
        await expect.poll(() => focused.getAttribute('aria-label')).toBe(first);
        await page.keyboard.press('c');
        const line = Number(/\d+/.exec(first!)![0]);
        const editor = page.getByRole('textbox', { name: enChanges.comments.label(line) });
        await editor.fill('line 1 first');
        await page.keyboard.press('Control+Enter');
        await page
          .getByRole('article', { name: enChanges.comments.at(line) })
          .getByText('line 1 first')
          .waitFor();
        // A second one, by the mouse, on an added line.
        const added = list().locator('.diff-added').filter({ hasText: 'rate = 7' });
        await added.hover();
        await added.getByRole('button').click();
        await page.getByRole('textbox', { name: enChanges.comments.label(1) }).fill('Is 7 right? <b>');
        await page.getByRole('button', { name: enChanges.comments.save }).click();
        const bar = page.getByRole('region', { name: enChanges.comments.title });
        await bar.getByText(enChanges.comments.count(2)).waitFor();
        await page.reload();
        await bar.getByText(enChanges.comments.count(2)).waitFor();
        await expectAccessible(page, 'changes with comments');
        await list().getByText('Is 7 right? <b>').waitFor();
        const comment = page.getByRole('article').filter({ hasText: 'Is 7 right?' });
        await comment.getByRole('button', { name: enChanges.comments.edit }).click();
        await page.getByRole('textbox', { name: enChanges.comments.label(1) }).fill('Is 7 % right?');
        await page.keyboard.press('Control+Enter');
        await bar.getByText(enChanges.comments.preview).click();
        await bar.locator('pre').getByText('src/total.ts:1').waitFor();
        await bar.getByRole('button', { name: enChanges.comments.send }).click();
        await bar.waitFor({ state: 'detached' });
        await expect
          .poll(async () => {
            const { events } = await it.client.log({ params: { id: session }, query: {} });
            return JSON.stringify(events.filter((event) => event.type === 'message.added'));
          })
          .toMatch(/src\/total\.ts:1\\n> export const rate = 7;\\n\\nIs 7 % right\?/);
        expect(await page.getByRole('article', { name: /Comment/ }).count()).toBe(0);
        await page.locator('.session-head .state-done').waitFor();
      },
    );

    test('a comment in a review becomes a part of the note to the model', { tags: ['long'] }, async () => {
      const { session: asked } = await it.client.openSession({ body: { text: 'rename it', mode: 'ask' } });
      await page.goto(`${it.server.url}/#/s/${asked}`);
      await page.getByRole('button', { name: en.approval.review }).click();
      const dialog = page.getByRole('dialog');
      const added = dialog.locator('.diff-line').filter({ hasText: 'other' }).last();
      await added.hover();
      await added.getByRole('button').click();
      const editor = dialog.getByRole('textbox', { name: /^Comment on line/ });
      await editor.fill('Keep the name.');
      await page.keyboard.press('Control+Enter');
      await dialog.getByText(enChanges.comments.inNote(1)).waitFor();
      await expectAccessible(page, 'review with a comment');
      await dialog.getByRole('button', { name: en.approval.rejectAll }).click();
      await dialog.waitFor({ state: 'detached' });
      const { events } = await it.client.log({ params: { id: asked }, query: {} });
      const answer = events.find((event) => event.type === 'approval.answered');
      expect(answer).toMatchObject({ answer: 'rejected', note: expect.stringContaining('Keep the name.') });
      expect(answer).toMatchObject({ note: expect.stringMatching(/^other\.txt:1/) });
    });

    test('in German, and in every look', { tags: ['long'] }, async () => {
      const german = await openPage(browser, { url: it.server.url, token: it.server.token!, locale: 'de-DE' });
      await german.page.goto(`${it.server.url}/#/s/${session}/changes`);
      await german.page.getByText(deChanges.viewedOf(0, 4)).waitFor();
      await german.page.close();
      await page.goto(`${it.server.url}/#/s/${session}/changes`);
      await list().waitFor();
      await expectAccessible(page, 'changes');
      expect(complaints).toEqual([]);
    });
  },
);
