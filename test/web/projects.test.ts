// Covers apps/web/projects, apps/server/projects: projects on the page.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionView } from '@klaus/server/contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enLists } from '../../apps/web/text/lists/en-lists.ts';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage, type WatchedPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer, untilListed } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };
const words = enLists.projects;

describe.skipIf(WITHOUT_BROWSER !== undefined)(`projects${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let watched: WatchedPage;
  let page: Page;
  let workspace: string;

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer();
    workspace = realpathSync(it.place.workspace);
    mkdirSync(join(workspace, 'shop'));
    for (const [folder, title] of [
      [workspace, 'In the folder of the server'],
      [join(workspace, 'shop'), 'In the shop'],
    ] as const) {
      const { session } = await it.client.openSession({ body: { workspace: folder } });
      await it.client.changeSession({ params: { id: session }, body: { title } });
    }
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

  const list = () => page.getByRole('navigation', { name: en.app.sessions });
  const row = (name: string) => list().getByRole('link', { name });
  const switcher = (name: string) => page.getByRole('button', { name: en.lists.project(name) });
  const openNew = async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: en.lists.project('') }).click();
    await page.getByRole('option', { name: words.create }).click();
    await page.getByRole('dialog', { name: words.new }).waitFor();
  };

  test('the switcher filters the list and sets the folder of a new session; Back restores it', async () => {
    await row('In the shop').waitFor();
    await switcher(words.all).click();
    const option = page.getByRole('option', { name: 'shop' });
    await option.waitFor();
    expect(await option.textContent()).toContain(words.sessions(1));
    await expectAccessible(page, 'the list of projects');
    await option.click();
    await switcher('shop').waitFor();
    await expect.poll(() => row('In the folder of the server').count(), WAIT).toBe(0);
    expect(await row('In the shop').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('project')).toBe(join(workspace, 'shop'));
    await page.getByRole('button', { name: `${en.home.workspace}: ${join(workspace, 'shop')}` }).waitFor();
    await page.getByRole('textbox', { name: en.composer.label }).fill('work here');
    await page.keyboard.press('Enter');
    const isHere = ({ project }: SessionView): boolean => project === join(workspace, 'shop');
    await untilListed(it.client, (all) => all.filter(isHere).length === 2 || undefined);
    await page.goBack();
    await page.goBack();
    await switcher(words.all).waitFor();
    await row('In the folder of the server').waitFor();
  });

  test('a folder is created as a project by the keyboard', { tags: ['long'] }, async () => {
    await openNew();
    await expectAccessible(page, 'new project, folder');
    const field = page.getByRole('textbox', { name: words.path });
    expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await field.fill('/etc/klaus');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.fill(join(workspace, 'fresh'));
    await page.keyboard.press('Enter');
    await switcher('fresh').waitFor();
    expect(existsSync(join(workspace, 'fresh'))).toBe(true);
    await page.getByRole('button', { name: `${en.home.workspace}: ${join(workspace, 'fresh')}` }).waitFor();
  });

  test(
    'a project without sessions is removed from the list, its folder stays, and the removal can be undone',
    { tags: ['long'] },
    async () => {
      const fresh = join(workspace, 'fresh');
      const listed = async () => (await it.client.projects()).projects.some(({ path }) => path === fresh);
      await page.getByRole('button', { name: en.lists.project('') }).click();
      await page.getByRole('option', { name: words.forgetOpen }).click();
      const dialog = page.getByRole('dialog', { name: words.forgetTitle });
      await dialog.getByText(words.forgetHint).waitFor();
      const button = dialog.getByRole('button', { name: words.forget('fresh') });
      await button.waitFor();
      // Folders with sessions are not offered.
      expect(await dialog.getByRole('listitem').count()).toBe(1);
      await expectAccessible(page, 'projects that can be removed');
      await button.click();
      await dialog.getByText(words.noneRemovable).waitFor();
      expect(await listed()).toBe(false);
      expect(existsSync(fresh)).toBe(true);
      expect(new URL(page.url()).searchParams.get('project')).toBeNull();
      await page.keyboard.press('Escape');
      await switcher(words.all).waitFor();
      await page.getByRole('button', { name: words.undo }).click();
      await expect.poll(listed, WAIT).toBe(true);
    },
  );

  test('a repository is cloned from a path and opened as a project', { tags: ['long'] }, async () => {
    const source = join(workspace, 'source');
    mkdirSync(source);
    writeFileSync(join(source, 'README.md'), '# Source\n');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: source, stdio: 'pipe' });
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qm', 'first');
    await openNew();
    await page.getByRole('button', { name: words.fromGit }).click();
    await expectAccessible(page, 'new project, Git');
    await page.getByRole('textbox', { name: words.url }).fill('https://user:secret@example.com/a');
    await page.getByRole('button', { name: words.clone, exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: words.url }).fill(source);
    await page.getByRole('textbox', { name: words.parent }).fill(workspace);
    await page.getByRole('textbox', { name: words.name }).fill('cloned');
    await page.getByRole('button', { name: words.clone, exact: true }).click();
    await switcher('cloned').waitFor();
    expect(readFileSync(join(workspace, 'cloned/README.md'), 'utf8')).toBe('# Source\n');
  });

  test('a clone that fails says why, and leads back to the form', { tags: ['long'] }, async () => {
    mkdirSync(join(workspace, 'no-repository'));
    await openNew();
    await page.getByRole('button', { name: words.fromGit }).click();
    await page.getByRole('textbox', { name: words.url }).fill(join(workspace, 'no-repository'));
    await page.getByRole('textbox', { name: words.parent }).fill(workspace);
    await page.getByRole('textbox', { name: words.name }).fill('failed');
    await page.getByRole('button', { name: words.clone, exact: true }).click();
    await page.getByRole('alert').waitFor();
    await expectAccessible(page, 'a failed clone');
    await page.getByRole('button', { name: en.app.retry }).click();
    await page.getByRole('textbox', { name: words.url }).waitFor();
    await page.keyboard.press('Escape');
    expect(existsSync(join(workspace, 'failed'))).toBe(false);
  });
});
