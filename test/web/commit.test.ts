// Covers apps/web/commit, apps/server/handlers: a commit of the changes of a session.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enChanges } from '../../apps/web/text/changes/en-changes.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { follow, startTestServer, type TestServer } from '../fixtures/server.ts';

const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
const t = enChanges.commit;

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'Add two files' } },
    {
      when: { user: 'push', turn: 0 },
      reply: {
        calls: [
          { name: 'push_branch', input: { remote: 'origin', force: false, protected: [] } },
          { name: 'tool_search', input: { query: 'push_branch' } },
        ],
      },
    },
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

    test(
      'the output of a hook that refuses the message is shown, and nothing is committed',
      { tags: ['long'] },
      async () => {
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
      },
    );

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
      await dialog()
        .getByRole('button', { name: t.push('topic/files') })
        .waitFor();
      // The branch is not at the server yet.
      expect(await dialog().getByRole('link', { name: t.openCompare }).count()).toBe(0);
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

    const remote = () => join(it.place.home, '..', 'remote.git');
    const atRemote = (...args: string[]) =>
      execFileSync('git', ['-C', remote(), ...args], { env: it.place.env, encoding: 'utf8' }).trim();
    /** Commits everything that has changed, to the end of the dialog. */
    const commitAll = async (text: string) => {
      await open();
      await message().fill(text);
      await dialog()
        .getByRole('button', { name: /^Commit \d/ })
        .click();
      await dialog().getByText(t.done).waitFor();
    };
    /** The last commit is undone, so that there is something to commit. */
    const uncommit = () => git('reset', '-q', '--soft', 'HEAD~1');

    test('a push asks in the dialog, and nothing is pushed before it is approved', async () => {
      execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote()], { env: it.place.env });
      git('remote', 'set-url', 'origin', remote());
      uncommit();
      await commitAll('Pushed');
      await dialog()
        .getByRole('button', { name: t.push('topic/files') })
        .click();
      const question = dialog().locator('[data-question]');
      await question.waitFor();
      await expectAccessible(page, 'a push that asks');
      expect(atRemote('for-each-ref')).toBe('');
      await question.getByRole('button', { name: en.approval.reject }).click();
      await dialog().getByText(t.stepFailed.push).waitFor();
      await dialog().getByText('git push -u origin topic/files').waitFor();
      await expectAccessible(page, 'a push that was rejected');
      expect(atRemote('for-each-ref')).toBe('');

      await dialog()
        .getByRole('button', { name: t.push('topic/files') })
        .click();
      await question.getByRole('button', { name: en.approval.approve }).click();
      await dialog().getByText(t.pushed).waitFor();
      expect(atRemote('rev-parse', 'topic/files')).toBe(git('rev-parse', 'HEAD'));
      expect(git('rev-parse', 'origin/topic/files')).toBe(git('rev-parse', 'HEAD'));
      // A folder has no page for a pull request.
      expect(await dialog().getByRole('link', { name: t.openCompare }).count()).toBe(0);
      await expectAccessible(page, 'after a push');
      const { events } = await it.client.log({ params: { id: session }, query: {} });
      const answers = events.flatMap((event) => (event.type === 'approval.answered' ? [event.answer] : []));
      expect(answers).toEqual(['rejected', 'approved']);
    });

    test('after a push to a server with pull requests, the link to the new one has no password', async () => {
      // Git finds the folder by the address of the server.
      const config = join(it.place.home, '..', 'gitconfig');
      const address = 'https://user:canary-of-a-password@github.com/example/project.git';
      writeFileSync(config, `[url "${remote()}"]\n\tinsteadOf = ${address}\n`);
      process.env['GIT_CONFIG_GLOBAL'] = config;
      try {
        git('remote', 'set-url', 'origin', address);
        uncommit();
        git('switch', '-q', '-c', 'topic/more');
        await commitAll('More');
        await dialog()
          .getByRole('button', { name: t.push('topic/more') })
          .click();
        await dialog().locator('[data-question]').getByRole('button', { name: en.approval.approve }).click();
        const link = dialog().getByRole('link', { name: t.openCompare });
        await link.waitFor();
        expect(await link.getAttribute('href')).toBe(
          'https://github.com/example/project/compare/topic%2Fmore?expand=1',
        );
        expect(await link.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
        expect(atRemote('rev-parse', 'topic/more')).toBe(git('rev-parse', 'HEAD'));
        expect(await page.content()).not.toContain('canary-of-a-password');
      } finally {
        delete process.env['GIT_CONFIG_GLOBAL'];
      }
    });

    test('names of branches and folders of remotes start nothing', async () => {
      const escaped = join(it.place.home, '..', 'escaped');
      git('remote', 'set-url', 'origin', remote());
      uncommit();
      const hostile = `a;touch\${IFS}${escaped};b`;
      git('switch', '-q', '-c', hostile);
      await commitAll('Hostile');
      await dialog()
        .getByRole('button', { name: t.push(hostile) })
        .click();
      await dialog().getByText(t.stepFailed.push).waitFor();
      // The command to copy has the name as one word.
      const command = await dialog().locator('.command code').innerText();
      const words = execFileSync('/bin/sh', ['-c', command.replace(/^git push -u/, 'printf "%s\\n"')], {
        encoding: 'utf8',
      });
      expect(words.trim().split('\n')).toEqual(['origin', hostile]);
      expect(existsSync(escaped)).toBe(false);

      // A remote in the folder of the session: the model could have written its hooks.
      const inside = join(it.place.workspace, 'inside.git');
      execFileSync('git', ['init', '-q', '--bare', inside], { env: it.place.env });
      const hook = join(inside, 'hooks/pre-receive');
      writeFileSync(hook, `#!/bin/sh\ntouch ${escaped}\n`);
      chmodSync(hook, 0o755);
      git('remote', 'set-url', 'origin', './inside.git');
      uncommit();
      git('switch', '-q', '-c', 'inside');
      await commitAll('Inside');
      await dialog()
        .getByRole('button', { name: t.push('inside') })
        .click();
      await dialog().getByText(t.stepFailed.push).waitFor();
      expect(existsSync(escaped)).toBe(false);
      expect(execFileSync('git', ['-C', inside, 'for-each-ref'], { env: it.place.env, encoding: 'utf8' })).toBe('');
    });

    test('a model is not offered the push, and cannot call it', async () => {
      const { session: other } = await it.client.openSession({ body: { text: 'push', mode: 'auto' } });
      const followed = follow(it.client, other);
      await followed.until('run.finished');
      await followed.stop();
      const finished = followed.events.flatMap((event) =>
        event.type === 'tool.finished' ? [[event.outcome, event.output]] : [],
      );
      expect(finished).toEqual([
        ['error', expect.stringContaining('push_branch')],
        ['ok', expect.not.stringContaining('push_branch')],
      ]);
    });

    test('a folder without a repository says what to do', async () => {
      await page.keyboard.press('Escape');
      execFileSync('rm', ['-rf', join(it.place.workspace, '.git')]);
      await page.goto(`${it.server.url}/#/s/${session}/changes`);
      await page.getByRole('button', { name: t.open, exact: true }).click();
      await dialog().getByText('git init').waitFor();
      expect(await message().count()).toBe(0);
    });
  },
);
