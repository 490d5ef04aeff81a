// Covers apps/web/settings, apps/web/sessions, apps/server/handlers, sdk/models, sdk/mcp: model servers, local models and MCP servers on the page.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { deSettings } from '../../apps/web/text/settings/de-settings.ts';
import { enSettings } from '../../apps/web/text/settings/en-settings.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startLocalProgram } from '../fixtures/local-program.ts';
import { expectAccessible, openPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';
import { startHttpServer } from '../mcp/http-server.ts';
import { toEntry } from '../mcp/open-session.ts';

const SECRET = 'secret-typed-5d9e1f0a7c3b';
/** No key, no keyring, and no program at a usual address. */
const ENV = {
  ANTHROPIC_API_KEY: '',
  AGENT_MODEL: '',
  KLAUS_SANDBOX: 'host',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  OLLAMA_HOST: '127.0.0.1:9',
  LLAMA_ARG_PORT: '9',
};
const { models: m, mcp: t, first } = enSettings;

describe.skipIf(WITHOUT_BROWSER !== undefined)(`connections${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  beforeAll(async () => {
    await provideWebPage();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function open({ server }: Pick<TestServer, 'server'>, hash = '', locale = 'en-GB') {
    const opened = await openPage(browser, { url: server.url, token: server.token, locale });
    onTestFinished(() => opened.page.close());
    await opened.page.getByRole('navigation').first().waitFor();
    if (hash !== '') await opened.page.goto(`${server.url}/#/${hash}`);
    return opened;
  }

  test('a first start with a local model: looked for when asked, one question, and a prompt that works', async () => {
    await using program = await startLocalProgram({ family: 'ollama', id: 'small' });
    await using it = await startTestServer({ env: { ...ENV, OLLAMA_HOST: program.host } });
    const { page, complaints } = await open(it);
    const card = page.getByRole('region', { name: first.title });
    await card.getByRole('button', { name: first.local }).press('Enter');
    expect(program.asked).toEqual([]);
    await card.getByRole('button', { name: m.look }).press('Enter');
    await card.getByText(program.origin).waitFor();
    await expectAccessible(page, 'a local model at the first start');
    await card.getByRole('button', { name: m.use('ollama/small') }).press('Enter');
    const dialog = page.getByRole('dialog', { name: m.useTitle });
    await dialog.getByText(program.origin).waitFor();
    await expectAccessible(page, 'the question about a local model');
    // Enter on the first button refuses.
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(existsSync(join(it.place.home, 'local-servers.json'))).toBe(false);
    expect(program.asked.every((request) => request.startsWith('GET '))).toBe(true);
    await card.getByRole('button', { name: m.use('ollama/small') }).click();
    await dialog.getByRole('button', { name: m.useYes }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: en.composer.label }).fill('does it work?');
    await page.keyboard.press('Enter');
    await page.getByText('done', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('the picker of models has those of a program on the machine, asks once, and keeps the default', async () => {
    await using program = await startLocalProgram({ family: 'ollama', id: 'small' });
    await using it = await startTestServer({ env: { OLLAMA_HOST: program.host, LLAMA_ARG_PORT: '9' } });
    const { page, complaints } = await open(it);
    const before = (await it.client.settings()).model;
    const button = page.getByRole('button', { name: en.composer.modelIs('') });
    await button.waitFor();
    expect(program.asked).toEqual([]);
    const dialog = page.getByRole('dialog', { name: m.useTitle });
    const option = page.getByRole('option', { name: /^small/ });
    /** Opens the list, again while the program answers later than the look waits. */
    const show = async () => {
      const find = async () => {
        await page.keyboard.press('Escape');
        const looked = page.waitForResponse('**/api/local-models');
        await button.press('Enter');
        await looked;
        return await option.count();
      };
      await expect.poll(find, { timeout: 30_000 }).toBe(1);
    };
    const choose = async () => {
      await show();
      await page.getByRole('combobox').fill('ollama small');
      await page.keyboard.press('Enter');
    };
    await show();
    // Before those without a key.
    const labels = await page.getByRole('option').allTextContents();
    expect(labels.findIndex((label) => label.startsWith('small'))).toBeLessThan(
      labels.findIndex((label) => label.includes(en.composer.modelNoKey)),
    );
    await expectAccessible(page, 'the models with a local one');
    await page.keyboard.press('Escape');
    await choose();
    await dialog.getByText(program.origin).waitFor();
    // Enter on the first button refuses.
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await button.getAttribute('aria-label')).toBe(en.composer.modelIs(before));
    expect(existsSync(join(it.place.home, 'local-servers.json'))).toBe(false);
    expect(program.asked.every((request) => request.startsWith('GET '))).toBe(true);
    await choose();
    await dialog.getByRole('button', { name: m.useYes }).click();
    await page.getByRole('button', { name: en.composer.modelIs('ollama/small') }).waitFor();
    await page.getByRole('textbox', { name: en.composer.label }).fill('does it work?');
    await page.keyboard.press('Enter');
    await page.getByText('done', { exact: true }).waitFor();
    expect((await it.client.settings()).model).toBe(before);
    // It is allowed now.
    await page.goto(`${it.server.url}/#/`);
    await choose();
    await page.getByRole('button', { name: en.composer.modelIs('ollama/small') }).waitFor();
    expect(await dialog.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a compatible server is tested, saved at the first start, listed without its key, and removed', async () => {
    await using program = await startLocalProgram({ family: 'vllm', id: 'big' });
    await using it = await startTestServer({ env: ENV });
    const { page, complaints } = await open(it);
    const card = page.getByRole('region', { name: first.title });
    await card.getByRole('button', { name: first.server }).click();
    const form = page.getByRole('form', { name: m.add });
    await form.getByLabel(m.name, { exact: true }).fill('lab');
    await form.getByLabel(m.baseUrl).fill('http://127.0.0.1:9/v1');
    await form.getByLabel(m.key).fill(SECRET);
    await page.keyboard.press('Enter');
    await form.getByText(m.unknown).waitFor();
    await form.getByRole('button', { name: m.saveAnyway }).waitFor();
    await expectAccessible(page, 'a server that does not answer');
    await form.getByLabel(m.baseUrl).fill(`${program.origin}/v1`);
    await form.getByRole('button', { name: m.test, exact: true }).click();
    await form.getByText(m.accepted).waitFor();
    await form.getByRole('combobox', { name: m.model }).fill('big');
    await page.keyboard.press('Enter');
    await card.waitFor({ state: 'detached' });
    expect(readFileSync(join(it.place.home, 'config.yaml'), 'utf8')).toContain(SECRET);
    await page.goto(`${it.server.url}/#/settings/keys`);
    const row = page.locator('[data-server="lab"]');
    await row.getByText(m.hasKey).waitFor();
    await row.getByRole('button', { name: m.testOf('lab') }).click();
    await row.getByText(m.accepted).waitFor();
    await page.locator('.skeleton').waitFor({ state: 'detached' });
    await expectAccessible(page, 'servers in the settings');
    expect(await page.content()).not.toContain(SECRET);
    await row.getByRole('button', { name: m.removeOf('lab') }).click();
    await page.getByRole('dialog').getByRole('button', { name: m.remove, exact: true }).click();
    await row.waitFor({ state: 'detached' });
    expect(readFileSync(join(it.place.home, 'config.yaml'), 'utf8')).not.toContain(SECRET);
    expect(complaints).toEqual([]);
  });

  test('an MCP server is added by keyboard, tested, reviewed, and removed', { timeout: 120_000 }, async () => {
    await using it = await startTestServer({ env: ENV });
    const { page, complaints } = await open(it, 'settings/mcp');
    const form = page.getByRole('form', { name: t.add });
    await page.getByText(t.empty).waitFor();
    await expectAccessible(page, 'no MCP servers');
    const { command, args } = toEntry();
    await form.getByLabel(t.name, { exact: true }).fill('one');
    await form.getByLabel(t.commandLine).fill([command, ...args].map((word) => `"${word}"`).join(' '));
    await form.getByLabel(t.env).fill(`API_KEY=${SECRET}\nnonsense`);
    await form.getByRole('button', { name: t.save, exact: true }).press('Enter');
    await form.getByRole('alert').getByText('nonsense').waitFor();
    await form.getByLabel(t.env).fill(`API_KEY=${SECRET}`);
    await form.getByRole('button', { name: t.save, exact: true }).press('Enter');
    const row = page.locator('[data-mcp="one"]');
    await row.getByText(t.unaccepted).waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await row.getByRole('button', { name: t.testOf('one') }).press('Enter');
    await row.getByText('Repeat a text.').waitFor();
    await expectAccessible(page, 'a tested MCP server');
    await row.getByRole('button', { name: t.reviewOf('one') }).press('Enter');
    const dialog = page.getByRole('dialog', { name: t.reviewTitle('one') });
    await dialog.getByRole('button', { name: t.show }).press('Enter');
    await dialog.getByRole('checkbox', { name: `${t.marked}: echo` }).press('Space');
    await expectAccessible(page, 'tools of an MCP server');
    await dialog.getByRole('button', { name: t.accept }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await row.getByText(t.unaccepted).waitFor({ state: 'detached' });
    expect(readFileSync(join(it.place.home, 'mcp-tools.json'), 'utf8')).toMatch(/"reading": \[\s*"echo"/);
    await row.getByRole('button', { name: t.removeOf('one') }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: t.remove, exact: true }).press('Enter');
    await row.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('a server of the project is trusted, and a change is shown as a diff', { timeout: 120_000 }, async () => {
    await using it = await startTestServer({
      env: ENV,
      files: {
        '.mcp.json': JSON.stringify({ mcpServers: { one: { ...toEntry(), env: { MODE: 'fast', TOKEN: SECRET } } } }),
      },
    });
    const { page, complaints } = await open(it, 'settings/mcp');
    const row = page.locator('[data-mcp="one"]');
    await row.getByText(t.untrusted).waitFor();
    expect(await row.getByRole('button', { name: t.testOf('one') }).count()).toBe(0);
    await row.getByRole('button', { name: t.trustOf('one') }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(t.grantProgram).waitFor();
    await dialog.getByText('fast').waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await expectAccessible(page, 'the question about trust');
    await dialog.getByRole('button', { name: t.start }).click();
    await dialog.getByText('Repeat a text.').waitFor();
    await dialog.getByRole('button', { name: t.accept }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByText(t.untrusted).waitFor({ state: 'detached' });
    const pins = join(it.place.home, 'mcp-tools.json');
    writeFileSync(pins, readFileSync(pins, 'utf8').replace('Repeat a text.', 'An older text.'));
    await row.getByRole('button', { name: t.reviewOf('one') }).click();
    await dialog.getByRole('button', { name: t.show }).click();
    await dialog.locator('.diff-removed').filter({ hasText: 'An older text.' }).waitFor();
    await dialog.locator('.diff-added').filter({ hasText: 'Repeat a text.' }).waitFor();
    await expectAccessible(page, 'a tool that changed');
    // An entry that changed after it was shown is not trusted.
    await dialog.getByRole('button', { name: en.app.cancel }).click();
    writeFileSync(join(it.place.workspace, '.mcp.json'), JSON.stringify({ mcpServers: { one: toEntry('many') } }));
    await page.reload();
    await row.getByRole('button', { name: t.trustOf('one') }).click();
    writeFileSync(join(it.place.workspace, '.mcp.json'), JSON.stringify({ mcpServers: { one: toEntry('greets') } }));
    await dialog.getByRole('button', { name: t.start }).click();
    await dialog.getByRole('alert').getByText('has changed').waitFor();
    expect((await it.client.mcpServers()).servers).toMatchObject([{ isTrusted: false }]);
    expect(complaints).toEqual([]);
  });

  test('a login in a second tab, also in German', { timeout: 120_000 }, async () => {
    using web = await startHttpServer({ access: 'oauth' });
    await using it = await startTestServer({ env: ENV });
    const server = { url: web.url };
    await it.client.addMcpServer({ body: { name: 'web', from: 'user', server } });
    const { page, complaints } = await open(it, 'settings/mcp', 'de-DE');
    const { mcp } = deSettings;
    const row = page.locator('[data-mcp="web"]');
    await row.getByText(mcp.loggedOut).waitFor();
    await row.getByRole('button', { name: mcp.testOf('web') }).click();
    await row.getByRole('alert').getByText(mcp.testFailed).waitFor();
    await row.getByRole('button', { name: mcp.loginOf('web') }).click();
    const dialog = page.getByRole('dialog', { name: mcp.loginTitle('web') });
    const link = dialog.getByRole('link', { name: mcp.loginOpen });
    await link.waitFor();
    await expectAccessible(page, 'a login to an MCP server');
    const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await dialog.waitFor({ state: 'detached' });
    await tab.close();
    await row.getByText(mcp.loggedIn).waitFor();
    expect(await page.content()).not.toContain([...web.tokens][0]);
    await row.getByRole('button', { name: mcp.testOf('web') }).click();
    await row.getByText('echo').waitFor();
    // A closed dialog cancels the login.
    await row.getByRole('button', { name: mcp.loginOf('web') }).click();
    await link.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await it.client.mcpLogin({ params: { name: 'web' } })).login, { timeout: 30_000 })
      .toBeNull();
    expect(complaints).toEqual([]);
  });
});
