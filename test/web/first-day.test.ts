// Covers apps/web, apps/server: the first day of a user, from a start without a key to a session on a phone.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { enChanges } from '../../apps/web/text/changes/en-changes.ts';
import { de } from '../../apps/web/text/de.ts';
import { en } from '../../apps/web/text/en.ts';
import { enLists } from '../../apps/web/text/lists/en-lists.ts';
import { enSettings } from '../../apps/web/text/settings/en-settings.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER, readDownload } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { openPage } from '../fixtures/page.ts';
import { test } from '../fixtures/sandboxed.ts';
import { startServeProcess, type ServeProcess } from '../fixtures/server.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

/** Milliseconds, with time for a busy machine. */
const LIMIT = 300_000;

const KEY = 'sk-ant-typed-5d9e1f0a7c3b';
/** No key, and no keyring: the address of its bus does not exist. */
const ENV = {
  ANTHROPIC_API_KEY: '',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  KLAUS_SANDBOX: 'bubblewrap',
};

const SUM = 'export const sum = (values) => values.reduce((a, b) => a + b);\n';
const FIXED = SUM.replace('a + b)', 'a + b, 0)');
const TEST =
  "import { sum } from './sum.js';\nif (sum([]) !== 0) throw new Error('wrong');\nconsole.log('\\x1b[32mok\\x1b[0m');\n";

const use = (name: string, input: Record<string, string>) => ({ name: 'use_tool', input: { name, input } });
const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'Fix the sum' } },
    {
      when: { user: 'empty list', turn: 0 },
      reply: { calls: [use('present_plan', { plan: '# Plan\n\n1. Fix `sum.js`.\n2. Test it.\n' })] },
    },
    {
      when: { user: 'empty list', turn: 1 },
      reply: { calls: [{ name: 'read_file', input: { path: 'sum.js' } }] },
    },
    {
      when: { user: 'empty list', turn: 2 },
      reply: { calls: [write('sum.js', FIXED), write('sum.test.js', TEST)] },
    },
    {
      when: { user: 'empty list', turn: 3 },
      reply: { calls: [{ name: 'run_command', input: { command: 'node sum.test.js' } }] },
    },
  ],
  fallback: { text: 'The sum of an **empty** list is 0.' },
};

/** One black pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

/** Drops an image and a text file onto the message field. */
async function drop(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob('${PNG}'), (char) => char.charCodeAt(0));
    data.items.add(new File([bytes], 'chart.png', { type: 'image/png' }));
    data.items.add(new File(['1,2\\n3,4\\n'], 'values.csv', { type: 'text/csv' }));
    const field = document.querySelector('.composer-field');
    for (const type of ['dragenter', 'dragover', 'drop'])
      field.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
  })()`);
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the first day${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let place: TestHome;
  let model: Awaited<ReturnType<typeof startServer>>;
  let serving: ServeProcess;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    await provideWebPage();
    place = createTestHome();
    model = await startServer(SCRIPT);
    serving = await startServeProcess(place, model, { env: ENV });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    serving?.process.kill('SIGKILL');
    await serving?.process.ended;
    await model?.close();
    place?.[Symbol.dispose]();
  });

  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      env: { ...process.env, ...place.env },
      encoding: 'utf8',
    }).trim();
  const message = () => page.getByRole('textbox', { name: en.composer.label });

  async function setKey(): Promise<void> {
    const card = page.getByRole('region', { name: enSettings.first.title });
    await card.getByLabel(enSettings.key.label('Anthropic')).fill(KEY);
    await page.keyboard.press('Enter');
    await card.waitFor({ state: 'detached' });
  }

  /** @returns The folder of the clone. */
  async function clone(): Promise<string> {
    const source = join(place.workspace, 'source');
    mkdirSync(source);
    writeFileSync(join(source, 'sum.js'), SUM);
    git(source, 'init', '-q', '-b', 'main');
    git(source, 'add', '.');
    git(source, 'commit', '-qm', 'Start');
    const words = enLists.projects;
    await page.getByRole('button', { name: en.lists.project('') }).click();
    await page.getByRole('option', { name: words.create }).click();
    await page.getByRole('button', { name: words.fromGit }).click();
    await page.getByRole('textbox', { name: words.url }).fill(source);
    await page.getByRole('textbox', { name: words.parent }).fill(place.workspace);
    await page.getByRole('textbox', { name: words.name }).fill('sums');
    await page.getByRole('button', { name: words.clone, exact: true }).click();
    await page.getByRole('button', { name: en.lists.project('sums') }).waitFor();
    return join(place.workspace, 'sums');
  }

  /** Accepts the fix, with a comment on one of its lines. */
  async function review(): Promise<void> {
    const question = page.locator('[data-question]');
    await question.getByRole('button', { name: en.approval.review }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('.hunk-head').first().waitFor();
    const line = dialog.locator('.diff-added').filter({ hasText: 'a + b, 0' });
    await line.hover();
    await line.getByRole('button').click();
    await dialog.getByRole('textbox', { name: enChanges.comments.label(1) }).fill('Good: the start value.');
    await page.keyboard.press('Control+Enter');
    await dialog.getByText(enChanges.comments.inNote(1)).waitFor();
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('y');
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
  }

  async function commit(folder: string): Promise<void> {
    await page.getByRole('link', { name: en.tabs.changes }).click();
    await page.getByRole('button', { name: enChanges.commit.open, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: enChanges.commit.title });
    await dialog.getByRole('textbox', { name: enChanges.commit.message }).fill('Sum empty lists');
    await dialog.getByRole('button', { name: enChanges.commit.submit(2) }).click();
    await dialog.getByText(enChanges.commit.done).waitFor();
    expect(git(folder, 'log', '-1', '--format=%s')).toBe('Sum empty lists');
    expect(git(folder, 'status', '--porcelain')).toBe('');
    await dialog.getByRole('button', { name: en.app.close }).last().click();
  }

  test('from a start without a key to a phone, in the dark, in German and offline', { timeout: LIMIT }, async () => {
    const { url } = serving;
    ({ page, complaints } = await openPage(browser, { url }));
    await page.getByRole('heading', { name: en.home.title }).waitFor();
    await setKey();
    const folder = await clone();

    await message().fill('Fix the sum of an empty list.');
    await drop(page);
    await page.locator('.composer').getByText('values.csv').waitFor();
    await page
      .locator('.composer')
      .getByRole('button', { name: /chart\.png/ })
      .first()
      .waitFor();
    await message().press('Enter');

    const question = page.locator('[data-question]');
    await question.getByRole('heading', { name: 'Plan' }).waitFor();
    expect(model.requests.some(({ body }) => body.includes(PNG.slice(0, 40)) && body.includes('3,4'))).toBe(true);
    await question.getByLabel(en.approval.mode).selectOption('ask');
    await question.getByRole('button', { name: en.approval.approve }).click();

    await question.filter({ hasText: 'sum.js' }).waitFor();
    await review();
    await expect.poll(() => readFileSync(join(folder, 'sum.js'), 'utf8')).toBe(FIXED);
    await question.filter({ hasText: 'sum.test.js' }).waitFor();
    await question.getByRole('button', { name: en.approval.approve }).click();
    await question.filter({ hasText: 'node sum.test.js' }).waitFor();
    await question.getByRole('button', { name: en.approval.approve }).click();
    await page.locator('.end-good').waitFor();
    expect(model.requests.some(({ body }) => body.includes('Good: the start value.'))).toBe(true);
    await page
      .getByRole('article', { name: /run_command/ })
      .getByRole('button', { expanded: false })
      .first()
      .click();
    await page.locator('.terminal').getByText('ok').first().waitFor();

    await commit(folder);

    // The shared file has the session, without the key.
    await page.locator('.session-head .menu-button').click();
    const [shared] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: en.sessions.share }).click(),
    ]);
    const html = await readDownload(shared);
    expect(html).toContain('Fix the sum of an empty list.');
    expect(html).not.toContain(KEY);

    // The same page on a phone, dark.
    await page.setViewportSize({ width: 360, height: 720 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('link', { name: en.tabs.conversation }).click();
    await page.locator('.end-good').last().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    const luminance = await page.evaluate(
      'getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b)',
    );
    expect(luminance).toBeLessThan(150);

    // In German, without a connection, and back.
    await page.setViewportSize({ width: 1_280, height: 800 });
    const session = new URL(page.url()).hash;
    await page.goto(`${url}/#/settings/appearance`);
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await page.goto(`${url}/${session}`);
    const field = page.getByRole('textbox', { name: de.composer.label });
    await field.waitFor();
    serving.process.kill('SIGKILL');
    await serving.process.ended;
    await page.getByText(de.link.offline).waitFor();
    await field.fill('Danke.');
    await field.press('Enter');
    await page.locator('.composer-held').waitFor();
    serving = await startServeProcess(place, model, { env: ENV, words: ['--port', new URL(url).port] });
    await page.locator('.composer-held').waitFor({ state: 'detached' });
    await page.getByText('Danke.').first().waitFor();
    await expect.poll(() => model.requests.filter(({ body }) => body.includes('Danke.')).length).toBe(1);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
