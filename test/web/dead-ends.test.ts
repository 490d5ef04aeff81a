// Covers apps/web, apps/server/access, apps/server/projects: ways that end on the page, and what shows that something is in progress.
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { enLists } from '../../apps/web/text/lists/en-lists.ts';
import { enSettings } from '../../apps/web/text/settings/en-settings.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { findChromium, openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { expectAccessible, openPage, SECRET, type WatchedPage } from '../fixtures/page.ts';
import { startServeProcess, startTestServer, type TestServer, untilListed } from '../fixtures/server.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const WAIT = { timeout: 30_000 };
const words = enLists.projects;
const edit = { path: 'a.txt', old: 'nothing like this', new: 'b' };

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'edit', turn: 0 }, reply: { calls: [{ name: 'edit_file', input: edit }] } },
  ],
  fallback: { text: 'Fine.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(`dead ends${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT, files: { 'a.txt': 'a\n' } });
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

  const message = () => page.getByRole('textbox', { name: en.composer.label });
  const enterToken = (token: string) => page.evaluate(`location.hash = 'token=${token}'`);

  test('the address with the token works again in the same tab, and after a sign-out', async () => {
    const { token } = it.server;
    await enterToken(token!);
    await expect.poll(() => new URL(page.url()).hash, WAIT).toBe('#/');
    await page.getByRole('heading', { name: en.home.title }).waitFor();
    expect(await page.getByText(en.app.notFound).count()).toBe(0);
    expect(await page.content()).not.toContain(token);
    await page.context().clearCookies();
    await page.reload();
    await page.getByLabel(en.signIn.token).waitFor();
    await enterToken(token!);
    await page.getByRole('heading', { name: en.home.title }).waitFor();
    expect(page.url()).not.toContain(token);
    // A wrong one changes nothing in a tab that is signed in.
    await enterToken('wrong%');
    await expect.poll(() => new URL(page.url()).hash, WAIT).toBe('#/');
    await page.getByRole('heading', { name: en.home.title }).waitFor();
  });

  test('a folder that the server did not know is found, allowed with one button, and a session works in it', async () => {
    using other = createTestHome();
    const folder = realpathSync(other.workspace);
    mkdirSync(join(folder, 'shop/.git'), { recursive: true });
    await page.getByRole('button', { name: `${en.home.workspace}:` }).click();
    await page.getByRole('menuitem', { name: en.home.otherFolder }).click();
    const dialog = page.getByRole('dialog', { name: words.new });
    const field = dialog.getByRole('textbox', { name: words.path });
    const up = dialog.getByRole('button', { name: words.up });
    const open = (name: string) => dialog.getByRole('button', { name: new RegExp(`^${name}(?: ?Git)?$`) }).click();
    // From the place of the server to the root, and down to the folder.
    await dialog.getByRole('group', { name: words.browse('') }).waitFor();
    for (;;) {
      const before = await dialog.locator('.folder-browser').getAttribute('aria-label');
      if ((await up.count()) === 0) break;
      await up.click();
      await expect.poll(() => dialog.locator('.folder-browser').getAttribute('aria-label')).not.toBe(before);
    }
    for (const name of folder.split('/').filter(Boolean)) await open(name);
    await expect.poll(() => field.inputValue(), WAIT).toBe(folder);
    await expectAccessible(page, 'the choice of a folder');
    await dialog.getByRole('button', { name: /^shop/ }).click();
    await expect.poll(() => field.inputValue()).toBe(join(folder, 'shop'));
    await dialog.getByText(words.allowHint).waitFor();
    expect((await it.client.projects()).projects.map(({ path }) => path)).not.toContain(join(folder, 'shop'));
    await dialog.getByRole('button', { name: words.allow, exact: true }).click();
    await page.getByRole('button', { name: en.lists.project('shop') }).waitFor();
    await message().fill('work here');
    await page.keyboard.press('Enter');
    await untilListed(it.client, (all) => all.some(({ workspace }) => workspace === join(folder, 'shop')) || undefined);
    await page.goto(`${it.server.url}/`);
  });

  test('a repository is cloned into a folder that the server did not know, allowed with one button', async () => {
    using source = createTestHome();
    using other = createTestHome();
    const parent = realpathSync(other.workspace);
    // Git starts this instead of ssh.
    const bin = join(other.home, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'ssh'), `#!/bin/sh\nexec git upload-pack ${source.workspace}\n`, { mode: 0o755 });
    const path = process.env['PATH'];
    process.env['PATH'] = `${bin}:${path}`;
    onTestFinished(() => void (process.env['PATH'] = path));
    await page.getByRole('button', { name: `${en.home.workspace}:` }).click();
    await page.getByRole('menuitem', { name: en.home.otherFolder }).click();
    const dialog = page.getByRole('dialog', { name: words.new });
    await dialog.getByRole('button', { name: words.fromGit }).click();
    await dialog.getByRole('textbox', { name: words.url }).fill('git@example.com:a/tools.git');
    const target = dialog.getByRole('textbox', { name: words.parent });
    await target.fill(parent);
    const clone = dialog.getByRole('button', { name: words.clone, exact: true });
    const allow = dialog.getByRole('button', { name: words.allowClone });
    await clone.press('Enter');
    await dialog.getByText(words.allowHint).waitFor();
    await expectAccessible(page, 'a clone into another folder');
    // Nothing is allowed or written before the button, which is for this folder only.
    expect(existsSync(join(parent, 'tools'))).toBe(false);
    await target.fill(other.home);
    expect(await allow.count()).toBe(0);
    await target.fill(parent);
    await clone.press('Enter');
    await allow.press('Enter');
    await page.getByRole('button', { name: en.lists.project('tools') }).waitFor();
    expect(readFileSync(join(parent, 'tools/README.md'), 'utf8')).toBe('# Test\n');
    await message().fill('work in the clone');
    await page.keyboard.press('Enter');
    await untilListed(
      it.client,
      (all) => all.some(({ workspace }) => workspace === join(parent, 'tools')) || undefined,
    );
    await page.goto(`${it.server.url}/`);
  });

  test('a folder that is never a workspace has no button that allows it', async () => {
    await page.getByRole('button', { name: `${en.home.workspace}:` }).click();
    await page.getByRole('menuitem', { name: en.home.otherFolder }).click();
    const dialog = page.getByRole('dialog', { name: words.new });
    await dialog.getByRole('textbox', { name: words.path }).fill('/etc');
    await dialog.getByRole('button', { name: words.add }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('button', { name: words.allow, exact: true }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  test('a failed edit shows its reason without a click', async () => {
    const { session } = await it.client.openSession({ body: { text: 'edit', mode: 'auto' } });
    await page.goto(`${it.server.url}/#/s/${session}`);
    const call = page.getByRole('article', { name: /^edit_file/ });
    await call.locator('.call-reason').waitFor();
    expect(await call.locator('.call-reason').textContent()).toMatch(/\S{4,}/);
    expect(await call.getByRole('button').first().getAttribute('aria-expanded')).toBe('false');
  });

  test('a shared session is named as a file, not a link', async () => {
    await page.locator('.session-head .session-menu button').first().click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: en.sessions.share }).click();
    const name = (await download).suggestedFilename();
    const toast = page.getByRole('log').filter({ hasText: en.sessions.saved(name) });
    await toast.getByText(en.sessions.savedFile).waitFor();
    expect(name).toMatch(/\.html$/);
  });

  test('a message about a failure is announced, and leaves', async () => {
    const { page: other } = await openPage(browser, { url: it.server.url, token: it.server.token! });
    onTestFinished(() => other.close());
    await other.clock.install();
    await other.reload();
    const field = other.getByRole('textbox', { name: en.composer.label });
    const json = { type: 'about:blank', title: 'The disk is full.', status: 503, code: 'unavailable' };
    await other.route('**/api/sessions', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 503, json }) : route.continue(),
    );
    await field.fill('go');
    await other.keyboard.press('Enter');
    const toast = other.getByRole('log').getByText(json.title);
    await toast.waitFor();
    await other.clock.fastForward(20_000);
    await expect.poll(() => toast.count(), WAIT).toBe(0);
  });

  test('a session that takes long to open shows what happens', async () => {
    const { page: other } = await openPage(browser, { url: it.server.url, token: it.server.token! });
    onTestFinished(() => other.close());
    const held = Promise.withResolvers<void>();
    await other.route('**/api/sessions', async (route) => {
      if (route.request().method() === 'POST') await held.promise;
      await route.continue();
    });
    await other.getByRole('textbox', { name: en.composer.label }).fill('go');
    await other.keyboard.press('Enter');
    await other.getByRole('progressbar', { name: en.home.preparing }).waitFor();
    held.resolve();
    await other.locator('.session-head').waitFor();
    expect(await other.getByRole('progressbar', { name: en.home.preparing }).count()).toBe(0);
  });

  test('the demo shows that it starts, until its session opens', { tags: ['long'], timeout: 180_000 }, async () => {
    using place = createTestHome();
    await using model = await startServer({ steps: [{ reply: { text: 'Done.' } }] });
    const serving = await startServeProcess(place, model, {
      env: { ANTHROPIC_API_KEY: '', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', KLAUS_SANDBOX: 'host' },
    });
    const { page: other } = await openPage(browser, { url: serving.url, token: SECRET });
    const held = Promise.withResolvers<void>();
    await other.route('**/api/demo', async (route) => {
      await held.promise;
      await route.continue();
    });
    await other.getByRole('button', { name: enSettings.first.demo }).click();
    await other.getByRole('progressbar', { name: enSettings.first.starting }).waitFor();
    held.resolve();
    await other.locator('.session-head').waitFor();
    expect(new URL(other.url()).hash).toMatch(/^#\/s\//);
    await other.close();
    serving.process.kill('SIGTERM');
    await serving.process.ended;
  });

  test('without a mouse and without touch, what is typed goes into the message', async () => {
    // Neither of the values of a pointer that Blink has for a mouse (4) and for touch (2).
    const args = [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--blink-settings=primaryPointerType=1,availablePointerTypes=1',
    ];
    await using own = Object.assign(await chromium.launch({ executablePath: findChromium()!, args }), {
      async [Symbol.asyncDispose]() {
        await (own as Browser).close();
      },
    });
    const { page: other } = await openPage(own, { url: it.server.url, token: it.server.token! });
    await other.getByRole('heading', { name: en.home.title }).waitFor();
    expect(await other.evaluate("matchMedia('(pointer: none)').matches")).toBe(true);
    await other.keyboard.type('up');
    await expect.poll(() => other.getByRole('textbox', { name: en.composer.label }).inputValue()).toBe('up');
    expect(basename(other.url())).not.toContain('token');
  });
});
