// Covers apps/web: set-up, prompt, approval, commit, undo and an MCP server with the keyboard alone, from a reachable focus.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enChanges } from '../../apps/web/text/changes/en-changes.ts';
import { en } from '../../apps/web/text/en.ts';
import { enSettings } from '../../apps/web/text/settings/en-settings.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { toEntry } from '../mcp/open-session.ts';

const KEY = 'sk-ant-typed-5d9e1f0a7c3b';
const NO_KEY = { ANTHROPIC_API_KEY: '', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
/** Milliseconds, with time for a busy machine. */
const LIMIT = { timeout: 240_000 };
/** More than any screen of the page has. */
const MAX_TABS = 80;

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'Write a file' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'one\n' } }] } },
  ],
  fallback: { text: 'It is written.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the keyboard alone${WITHOUT_BROWSER ?? ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT, env: NO_KEY });
    git('commit', '--allow-empty', '-qm', 'Start');
    browser = await openBrowser();
    ({ page, complaints } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
    await page.getByRole('heading', { name: en.home.title }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  function git(...args: string[]): string {
    return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: it.place.workspace,
      env: { ...process.env, ...it.place.env },
      encoding: 'utf8',
    }).trim();
  }

  const press = (keys: string) => page.keyboard.press(keys);
  const type = (text: string) => page.keyboard.type(text);
  const hasFocus = (target: Locator) => target.evaluate((element) => element === element.ownerDocument.activeElement);

  /** Moves the focus to a control. A user must see where it is: a field shows its caret. */
  async function tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let tabs = 0; tabs < MAX_TABS && !(await hasFocus(target)); tabs++) await press('Tab');
    expect(await hasFocus(target), String(target)).toBe(true);
    const isVisible = await page.evaluate(`(() => {
      const { activeElement } = document;
      return activeElement.matches('input, textarea') || getComputedStyle(activeElement).outlineStyle !== 'none';
    })()`);
    expect(isVisible, `the focus of ${String(target)}`).toBe(true);
  }
  async function runCommand(name: string): Promise<void> {
    await press('Control+k');
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
    await type(name);
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await press('Enter');
  }

  test('a model is set up, and a prompt is sent and approved', LIMIT, async () => {
    const card = page.getByRole('region', { name: enSettings.first.title });
    await tabTo(card.getByLabel(enSettings.key.label('Anthropic')));
    await type(KEY);
    await press('Enter');
    await card.waitFor({ state: 'detached' });
    const message = page.getByRole('textbox', { name: en.composer.label });
    await expect.poll(() => hasFocus(message)).toBe(true);
    await tabTo(page.getByRole('button', { name: en.composer.modeIs(en.composer.modeNames.auto) }));
    await press('Enter');
    await page.getByRole('menu').waitFor();
    const ask = page.getByRole('menuitemradio', { name: en.composer.modeTexts.ask });
    for (let rows = 0; rows < 4 && !(await hasFocus(ask)); rows++) await press('ArrowDown');
    await press('Enter');
    await tabTo(message);
    await type('write it');
    await press('Enter');
    const question = page.locator('[data-question]');
    await question.waitFor();
    await expectAccessible(page, 'a question');
    expect(existsSync(join(it.place.workspace, 'a.txt'))).toBe(false);
    await tabTo(question.getByRole('button', { name: en.approval.approve, exact: true }));
    await press('Enter');
    await page.locator('.end-good').waitFor();
    expect(readFileSync(join(it.place.workspace, 'a.txt'), 'utf8')).toBe('one\n');
  });

  test('its change is committed, and undone', LIMIT, async () => {
    const words = enChanges.commit;
    await tabTo(page.getByRole('link', { name: en.tabs.changes }));
    await press('Enter');
    await tabTo(page.getByRole('button', { name: words.open, exact: true }));
    await press('Enter');
    const dialog = page.getByRole('dialog', { name: words.title });
    await tabTo(dialog.getByRole('textbox', { name: words.message }));
    await press('Control+a');
    await type('Write a file');
    await tabTo(dialog.getByRole('button', { name: words.submit(1) }));
    await press('Enter');
    await dialog.getByText(words.done).waitFor();
    await expect.poll(() => hasFocus(dialog.getByRole('button', { name: en.app.close }).last())).toBe(true);
    expect(git('log', '-1', '--format=%s')).toBe('Write a file');
    await expectAccessible(page, 'a commit');
    await press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await runCommand(en.keys.undo);
    await tabTo(page.getByRole('dialog').getByRole('button', { name: en.conversation.undoDo, exact: true }));
    await press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => existsSync(join(it.place.workspace, 'a.txt'))).toBe(false);
  });

  test('an MCP server is added', LIMIT, async () => {
    const { mcp } = enSettings;
    await runCommand(en.app.settings);
    await tabTo(page.getByRole('link', { name: enSettings.sections.mcp }));
    await press('Enter');
    const form = page.getByRole('form', { name: mcp.add });
    await tabTo(form.getByLabel(mcp.name, { exact: true }));
    await type('one');
    await tabTo(form.getByLabel(mcp.commandLine));
    const { command, args } = toEntry();
    await type([command, ...args].map((word) => `"${word}"`).join(' '));
    await tabTo(form.getByRole('button', { name: mcp.save, exact: true }));
    await press('Enter');
    await page.locator('[data-mcp="one"]').getByText(mcp.unaccepted).waitFor();
    await expectAccessible(page, 'an MCP server');
    expect(complaints).toEqual([]);
  });
});
