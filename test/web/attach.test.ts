// Covers apps/web/attach, apps/web/composer, apps/server/handlers: what a message can have attached in addition to files.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enAttach } from '../../apps/web/text/attach/en-attach.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage, until, type WatchedPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

/** Split, so that no scanner finds it here. */
const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0'}${'k1L2m3N4o5P6q7R8'}`;
const CHANGES = 'changes.diff';
const PASSWORD = 'canary-of-the-database-91';
/** Milliseconds, with time for a busy machine. */
const WAIT = { timeout: 30_000 };

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { user: 'break', turn: 0 },
      reply: {
        calls: [
          { name: 'run_command', input: { command: "printf '\\033[31mthe cause\\033[0m\\n'; exit 3" } },
          { name: 'run_command', input: { command: 'true' } },
        ],
      },
    },
  ],
  fallback: { text: 'Fine.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(`attaching${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let watched: WatchedPage;
  let page: Page;

  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: it.place.workspace,
      env: { ...process.env, ...it.place.env, GIT_OPTIONAL_LOCKS: '0' },
      encoding: 'utf8',
    }).trim();
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(it.place.workspace, path)), { recursive: true });
    writeFileSync(join(it.place.workspace, path), content);
  };
  const field = () => page.getByRole('textbox', { name: en.composer.label });
  const attached = () => page.getByRole('list', { name: en.lists.attachments });
  const dialog = (source: keyof typeof enAttach.titles) => page.getByRole('dialog', { name: enAttach.titles[source] });
  const attach = (source: keyof typeof enAttach.titles) =>
    dialog(source).getByRole('button', { name: enAttach.attach, exact: true });
  const open = async (source: keyof typeof enAttach.titles) => {
    await page.getByRole('button', { name: en.lists.attach.title, exact: true }).click();
    await page.getByRole('menuitem', { name: en.lists.attach[source] }).click();
    await dialog(source).waitFor();
  };
  const remove = async (name: string) => {
    await attached()
      .getByRole('button', { name: en.composer.removeAttachment(name) })
      .click();
    await expect.poll(() => attached().count(), WAIT).toBe(0);
  };
  /** The parts of the last message of the user in a session. */
  const sent = async (id: string) => {
    const { events } = await it.client.log({ params: { id }, query: { limit: 1_000 } });
    return events.flatMap((event) =>
      event.type === 'message.added' && event.message.origin === 'user' ? [event.message.parts] : [],
    );
  };
  const sessionOf = () => /#\/s\/([^/?]+)/.exec(page.url())![1]!;

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT, files: { 'src/a.js': 'one\n', 'README.md': '# Test\n' } });
    put('.env', `DATABASE_PASSWORD=${PASSWORD}\n`);
    git('add', '-f', '.env');
    git('commit', '-qm', `Rotate ${TOKEN}`);
    put('src/a.js', `export const a = 1;\nconst token = '${TOKEN}';\nconnect('${PASSWORD}');\n`);
    put('.env', `DATABASE_PASSWORD=${PASSWORD}\nMORE=1\n`);
    put('src/new.js', 'export const fresh = true;\n');
    browser = await openBrowser();
    watched = await openPage(browser, { url: it.server.url, token: it.server.token! });
    ({ page } = watched);
    await page.getByRole('heading', { name: en.home.title }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
    expect(watched?.complaints).toEqual([]);
  });

  test('with the keyboard alone, the changes are attached without secrets, and survive a reload', async () => {
    await field().focus();
    const menu = page.getByRole('button', { name: en.lists.attach.title, exact: true });
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: en.lists.attach.files }).waitFor();
    await expectAccessible(page, 'the menu of attachments');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const shown = dialog('diff');
    await shown.getByRole('group', { name: enAttach.preview }).waitFor(WAIT);
    await shown.getByText(enAttach.leftOut(1)).waitFor();
    await shown.getByText('.env', { exact: true }).waitFor();
    expect(await shown.textContent()).toContain('fresh = true');
    for (const secret of [TOKEN, PASSWORD]) expect(await shown.textContent()).not.toContain(secret);
    await expectAccessible(page, 'the changes to attach');
    await attach('diff').focus();
    await page.keyboard.press('Enter');
    const chip = attached().getByRole('button', { name: `${en.lists.view} ${CHANGES}` });
    await chip.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.className'), WAIT).toBe('composer-field');
    await until(page, `localStorage.getItem('klaus.drafts')?.includes('${CHANGES}')`);
    await page.reload();
    await chip.click();
    await page.getByRole('dialog', { name: CHANGES }).getByText('fresh = true').waitFor();
    await page.keyboard.press('Escape');
    await field().fill('review this');
    await page.keyboard.press('Enter');
    await page.locator('.said').getByText('review this').waitFor();
    const messages = await sent(sessionOf());
    expect(messages.map((parts) => parts.map(({ type }) => type))).toEqual([['text', 'file']]);
    const text = JSON.stringify(messages);
    expect(text).toContain('export const fresh');
    for (const secret of [TOKEN, PASSWORD]) expect(text).not.toContain(secret);
    expect(await attached().count()).toBe(0);
  });

  test('only staged changes are attached on request, and nothing if there are none', { tags: ['long'] }, async () => {
    await open('diff');
    const staged = dialog('diff').getByRole('button', { name: enAttach.diff.staged });
    await staged.click();
    await dialog('diff').getByText(enAttach.diff.noneStaged).waitFor(WAIT);
    expect(await attach('diff').isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    put('staged.js', 'export const staged = 1;\n');
    git('add', 'staged.js');
    await open('diff');
    await staged.click();
    await dialog('diff').getByText('export const staged = 1;').waitFor(WAIT);
    expect(await dialog('diff').textContent()).not.toContain('fresh = true');
    await attach('diff').click();
    await remove('staged.diff');
    git('reset', '-q');
  });

  test('a huge diff is refused with its size and what to do', { tags: ['long'] }, async () => {
    put('huge.txt', 'a line of text\n'.repeat(400_000));
    await open('diff');
    const alert = dialog('diff').getByRole('alert');
    await alert.getByText(/@/).waitFor(WAIT);
    await alert.getByText('huge.txt').waitFor();
    expect(await attach('diff').isDisabled()).toBe(true);
    await expectAccessible(page, 'a diff that is too large');
    await page.keyboard.press('Escape');
    rmSync(join(it.place.workspace, 'huge.txt'));
  });

  test('a commit is found by its subject and attached without secrets', async () => {
    await open('commit');
    const find = dialog('commit').getByRole('combobox', { name: enAttach.commit.find });
    await find.waitFor(WAIT);
    await expectAccessible(page, 'the latest commits');
    await find.fill('nothing like it');
    await dialog('commit').getByText(enAttach.commit.none).waitFor();
    await find.fill('rotate');
    await page.keyboard.press('Enter');
    await dialog('commit').getByText(enAttach.leftOut(1)).waitFor(WAIT);
    await expectAccessible(page, 'a commit to attach');
    expect(await dialog('commit').textContent()).not.toContain(TOKEN);
    await attach('commit').click();
    await remove(`commit-${git('rev-parse', 'HEAD').slice(0, 10)}.diff`);
  });

  test.for(['--output=x', 'HEAD', '../x', 'a'])('the server refuses the hash %s and writes nothing', async (hash) => {
    await expect(it.client.gitCommit({ params: { hash } })).rejects.toMatchObject({ problem: { status: 400 } });
    expect(existsSync(join(it.place.workspace, 'x'))).toBe(false);
  });

  test('a failed command of the session is attached with its exit code and output', { tags: ['long'] }, async () => {
    const { session } = await it.client.openSession({ body: { text: 'break', mode: 'auto' } });
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.locator('.end-good').waitFor(WAIT);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('combobox');
    await palette.fill(en.lists.attachThis(en.lists.attach.failure));
    await page.keyboard.press('Enter');
    const options = dialog('failure').getByRole('option');
    await options.first().waitFor(WAIT);
    expect(await options.count()).toBe(1);
    expect(await options.first().textContent()).toContain(en.call.exit(3));
    await expectAccessible(page, 'failed commands');
    await page.keyboard.press('Enter');
    await dialog('failure').getByRole('group', { name: enAttach.preview }).getByText('the cause').waitFor(WAIT);
    await expect.poll(() => page.evaluate('document.activeElement.className'), WAIT).toContain('attach-chosen');
    // The preview, the way back, and the button that attaches.
    for (let step = 0; step < 3; step++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await attached().getByRole('listitem').waitFor();
    await field().fill('why?');
    await page.keyboard.press('Enter');
    await page.locator('.said').getByText('why?').waitFor();
    const parts = (await sent(session)).at(-1)!;
    const file = parts.find((part) => part.type === 'file');
    expect(file?.type === 'file' ? file.text : '').toContain(`${enAttach.failure.exitCode}: 3`);
    expect(file?.type === 'file' ? file.text : '').toContain(`${enAttach.failure.output}:\nthe cause\n`);
  });

  test(
    'an issue is a chip with a short name; the server does not read it, and the missing access is said',
    { tags: ['long'] },
    async () => {
      const t = enAttach.issue;
      await open('issue');
      const url = dialog('issue').getByRole('textbox', { name: t.url });
      await url.fill('https://user:secret@github.com/owner/repo/issues/12');
      await dialog('issue').getByRole('alert').getByText(t.problems.credentials).waitFor();
      expect(await attach('issue').isDisabled()).toBe(true);
      await expectAccessible(page, 'an address with a password');
      await url.fill('javascript:alert(1)');
      await dialog('issue').getByRole('alert').waitFor();
      await url.fill('https://github.com/owner/repo/issues/12');
      await dialog('issue').getByText(t.noAccess('github.com')).waitFor(WAIT);
      await expectAccessible(page, 'an issue to attach');
      await page.keyboard.press('Enter');
      await attached()
        .getByRole('button', { name: `${en.lists.view} owner/repo#12` })
        .waitFor();
      await field().fill('solve it');
      await page.keyboard.press('Enter');
      await page.locator('.said').getByText('solve it').waitFor();
      const messages = (await sent(sessionOf())).filter((parts) => JSON.stringify(parts).includes('owner/repo'));
      expect(messages.length).toBe(1);
      expect(messages[0]!.at(-1)).toEqual({
        type: 'text',
        text: t.prompt('owner/repo#12', 'https://github.com/owner/repo/issues/12'),
      });
    },
  );

  test(
    'before a session has begun there are no failures, and a folder without Git says so',
    { tags: ['long'] },
    async () => {
      const bare = join(it.place.workspace, 'bare');
      mkdirSync(bare, { recursive: true });
      await page.goto(`${it.server.url}/#/`);
      await page.getByRole('heading', { name: en.home.title }).waitFor();
      await open('failure');
      await dialog('failure').getByText(enAttach.failure.notBegun).waitFor();
      await expectAccessible(page, 'no failures');
      await page.keyboard.press('Escape');
      await open('issue');
      await dialog('issue').getByRole('textbox').fill('https://example.com/1');
      await dialog('issue').getByText(enAttach.issue.newSession('example.com')).waitFor();
      await page.keyboard.press('Escape');
      rmSync(join(it.place.workspace, '.git'), { recursive: true });
      await open('diff');
      await dialog('diff').getByText(enAttach.noRepository).waitFor(WAIT);
      expect(await attach('diff').isDisabled()).toBe(true);
      await expectAccessible(page, 'changes without a repository');
      await page.keyboard.press('Escape');
      await open('commit');
      await dialog('commit').getByText(enAttach.noRepository).waitFor(WAIT);
    },
  );
});
