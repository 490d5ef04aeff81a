// Covers apps/web/commit, apps/server/handlers: a commit of the changes of a session.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enChanges } from '../../apps/web/text/changes/en-changes.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
const t = enChanges.commit;

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'Add two files' } },
    { when: { turn: 0 }, reply: { calls: [write('a.txt', 'a\n'), write("it's b.txt", 'b\n'), write('c.txt', 'c\n')] } },
  ],
  fallback: { text: 'Done.' },
};

/** Rejects messages with the word `wip`. */
const HOOK = '#!/bin/sh\nif grep -q wip "$1"; then echo "No unfinished work." >&2; exit 1; fi\n';

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `a commit on the page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;
    let complaints: string[];
    let session: string;

    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: it.place.workspace,
        env: { ...process.env, ...it.place.env },
        encoding: 'utf8',
      }).trim();
    const dialog = () => page.getByRole('dialog', { name: t.title });
    const message = () => dialog().getByRole('textbox', { name: t.message });
    const open = async () => {
      await page.keyboard.press('Escape');
      await page.goto(`${it.server.url}/#/s/${session}/changes`);
      await page.getByRole('button', { name: t.open, exact: true }).click();
      await message().waitFor();
    };

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({ script: SCRIPT, files: { 'readme.md': 'one\n' } });
      git('commit', '--allow-empty', '-qm', 'Start');
      git('remote', 'add', 'origin', 'https://user:canary-of-a-password@github.com/example/project.git');
      mkdirSync(join(it.place.workspace, '.git/hooks'), { recursive: true });
      const hook = join(it.place.workspace, '.git/hooks/commit-msg');
      writeFileSync(hook, HOOK);
      chmodSync(hook, 0o755);
      browser = await openBrowser();
      ({ page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
      await page.getByRole('heading', { name: en.home.title }).waitFor();
      ({ session } = await it.client.openSession({ body: { text: 'Write them.', mode: 'edits' } }));
      await page.goto(`${it.server.url}/#/s/${session}`);
      await page.locator('.end-good').waitFor();
      await it.client.changeSession({ params: { id: session }, body: { title: 'Add two files' } });
      await page.locator('.session-head').getByText('Add two files').waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    test('it suggests the title and the files of the session, and is usable in every look', async () => {
      await open();
      await dialog().getByText(t.on('main')).waitFor();
      expect(await message().inputValue()).toBe('Add two files');
      await dialog()
        .getByRole('button', { name: t.submit(3) })
        .waitFor();
      await expectAccessible(page, 'commit');
      await dialog().getByRole('checkbox', { name: t.allFiles }).uncheck();
      expect(
        await dialog()
          .getByRole('button', { name: t.submit(0) })
          .isDisabled(),
      ).toBe(true);
    });

    test('the output of a hook that refuses the message is shown, and nothing is committed', async () => {
      await open();
      await message().fill('wip');
      await dialog()
        .getByRole('button', { name: t.submit(3) })
        .click();
      const alert = dialog().getByRole('alert');
      await alert.getByText(t.stepFailed.commit).waitFor();
      await alert.getByText('No unfinished work.').waitFor();
      await expectAccessible(page, 'a commit that a hook refused');
      expect(git('log', '-1', '--format=%s')).toBe('Start');
    });

    test('chosen files are committed on a new branch, and the log has the call of the user', async () => {
      await open();
      await message().fill('Add "a" and $b\n\nBoth.');
      await dialog()
        .getByRole('checkbox', { name: /c\.txt/ })
        .uncheck();
      await dialog().getByRole('checkbox', { name: t.newBranch }).check();
      const name = dialog().getByRole('textbox', { name: t.branchName });
      await name.fill('-x..y');
      await dialog().getByText('Git does not accept this name.').waitFor();
      expect(
        await dialog()
          .getByRole('button', { name: t.submit(2) })
          .isDisabled(),
      ).toBe(true);
      await name.fill('topic/files');
      await dialog()
        .getByRole('button', { name: t.submit(2) })
        .click();
      await dialog().getByText(t.done).waitFor();
      expect(git('branch', '--show-current')).toBe('topic/files');
      expect(git('log', '-1', '--format=%B')).toBe('Add "a" and $b\n\nBoth.');
      expect(git('show', '--name-only', '--format=').split('\n')).toEqual(['a.txt', "it's b.txt"]);
      expect(git('status', '--porcelain')).toBe('?? c.txt');
      // The address of the pull request has no password, and names the new branch.
      const link = dialog().getByRole('link', { name: t.openCompare });
      expect(await link.getAttribute('href')).toBe('https://github.com/example/project/compare/topic%2Ffiles?expand=1');
      await dialog().getByText('git push -u origin topic/files').waitFor();
      await expectAccessible(page, 'after a commit');
      expect(await page.content()).not.toContain('canary-of-a-password');
      const { events } = await it.client.log({ params: { id: session }, query: {} });
      const calls = events.flatMap((event) =>
        event.type === 'gate.decided' && event.name.startsWith('git_') ? [[event.name, event.verdict]] : [],
      );
      expect(calls.slice(-2)).toEqual([
        ['git_branch', 'allow'],
        ['git_commit', 'allow'],
      ]);
      await dialog().getByRole('button', { name: en.app.close }).last().click();
      expect(complaints).toEqual([]);
    });

    test('a folder without a repository says what to do', async () => {
      execFileSync('rm', ['-rf', join(it.place.workspace, '.git')]);
      await page.goto(`${it.server.url}/#/s/${session}/changes`);
      await page.getByRole('button', { name: t.open, exact: true }).click();
      await dialog().getByText('git init').waitFor();
      expect(await message().count()).toBe(0);
    });
  },
);
