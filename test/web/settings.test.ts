// Covers apps/web/settings, apps/web/keys, apps/web/sessions, apps/server/handlers, sdk/config: keys, settings and shortcuts on the page.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SECTIONS } from '../../apps/web/settings/sections.ts';
import { de } from '../../apps/web/text/de.ts';
import { en } from '../../apps/web/text/en.ts';
import { deSettings } from '../../apps/web/text/settings/de-settings.ts';
import { enSettings } from '../../apps/web/text/settings/en-settings.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { expectAccessible, ONE_LOOK, openPage, watch } from '../fixtures/page.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { startServeProcess, startTestServer, type TestServer } from '../fixtures/server.ts';

const KEY = 'sk-ant-typed-5d9e1f0a7c3b';
const WAIT = { timeout: 30_000 };
const ANTHROPIC = 'Anthropic';
/** No key, and no keyring: the address of its bus does not exist. */
const NO_KEY = { ANTHROPIC_API_KEY: '', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
const { names, key: keyText } = enSettings;

/** Refuses the first request: that is the test of the first key. */
const REFUSES_ONCE: Script = {
  steps: [
    {
      when: { user: '^Hello$' },
      reply: { text: 'Hi.' },
      faults: [{ kind: 'status', status: 401, message: `invalid key ${KEY}` }],
    },
    { when: { tools: false }, reply: { text: 'A title' } },
  ],
  fallback: { text: 'It works.' },
};

describe.skipIf(WITHOUT_BROWSER !== undefined)(`settings${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
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
    await opened.page
      .getByRole('navigation', { name: locale === 'en-GB' ? en.app.sessions : de.app.sessions })
      .waitFor();
    if (hash !== '') await opened.page.goto(`${server.url}/#/${hash}`);
    return opened;
  }

  const row = (page: Page, key: string) => page.locator(`[data-setting="${key}"]`);

  test('a first start: a wrong key, its reason, the right key, and a prompt that works', async () => {
    await using it = await startTestServer({ script: REFUSES_ONCE, env: NO_KEY });
    const { page, complaints } = await open(it);
    const card = page.getByRole('region', { name: enSettings.first.title });
    await card.getByRole('heading', { name: enSettings.first.keyTitle }).waitFor();
    // The server of this test runs without a sandbox, which the card says.
    await card.getByText(enSettings.checks.hostOn).waitFor();
    await expectAccessible(page, 'the first start');
    const field = card.getByLabel(keyText.label(ANTHROPIC));
    expect(await field.getAttribute('type')).toBe('password');
    await card.getByRole('button', { name: keyText.save }).click();
    await card.getByRole('alert').getByText(keyText.empty).waitFor();
    await field.fill(KEY);
    await page.keyboard.press('Enter');
    const alert = card.getByRole('alert').filter({ hasText: keyText.refused(ANTHROPIC) });
    await alert.getByText('invalid key').waitFor();
    expect(await alert.textContent()).not.toContain(KEY);
    expect(existsSync(join(it.place.home, 'keys.json'))).toBe(false);
    await expectAccessible(page, 'a refused key');
    // The second test is answered.
    await field.fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByText(keyText.stored(ANTHROPIC)).waitFor();
    await card.waitFor({ state: 'detached' });
    expect(readFileSync(join(it.place.home, 'keys.json'), 'utf8')).toContain(KEY);
    await page.getByRole('textbox', { name: en.composer.label }).fill('does it work?');
    await page.keyboard.press('Enter');
    await page.getByText('It works.').waitFor();
    expect(await page.content()).not.toContain(KEY);
    expect(complaints).toEqual([]);
  });

  test('a key is saved although its test fails, replaced, tested and deleted', async () => {
    await using it = await startTestServer({ script: REFUSES_ONCE, env: NO_KEY });
    const { page } = await open(it, 'settings/keys');
    const provider = page.locator('[data-provider="anthropic"]');
    await provider.getByLabel(keyText.label(ANTHROPIC)).fill(KEY);
    await provider.getByRole('button', { name: keyText.save }).click();
    await provider.getByRole('button', { name: keyText.saveAnyway }).click();
    await provider.getByText(keyText.set).waitFor();
    expect(readFileSync(join(it.place.home, 'keys.json'), 'utf8')).toContain(KEY);
    await provider.getByRole('button', { name: `${keyText.test}: ${ANTHROPIC}` }).click();
    await provider
      .getByRole('status')
      .filter({ hasText: keyText.accepted(ANTHROPIC) })
      .waitFor();
    await expectAccessible(page, 'a key that is set');
    await provider.getByRole('button', { name: `${keyText.replace}: ${ANTHROPIC}` }).click();
    await provider.getByRole('button', { name: en.app.cancel }).click();
    await provider.getByRole('button', { name: `${keyText.remove}: ${ANTHROPIC}` }).click();
    const dialog = page.getByRole('dialog', { name: keyText.removeTitle(ANTHROPIC) });
    await expectAccessible(page, 'the question before a key is deleted', { looks: ONE_LOOK });
    await dialog.getByRole('button', { name: keyText.remove }).click();
    await provider.getByText(keyText.missing).waitFor();
    expect(readFileSync(join(it.place.home, 'keys.json'), 'utf8')).not.toContain(KEY);
  });

  test('a rejected key in a session leads to the settings', { tags: ['long'] }, async () => {
    const script: Script = {
      steps: [
        { reply: { text: 'x' }, faults: [{ kind: 'status', status: 401, message: 'invalid x-api-key', always: true }] },
      ],
    };
    await using it = await startTestServer({ script });
    const { session } = await it.client.openSession({ body: { text: 'go' } });
    const { page } = await open(it, `s/${session}`);
    await page.locator('.end-bad').getByRole('link', { name: en.failures.toSettings }).click();
    await page.getByRole('heading', { name: enSettings.sections.keys }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/settings/keys');
  });

  test('settings are changed by keyboard, written into the file, in force, and reset', async () => {
    await using it = await startTestServer();
    const file = join(it.place.home, 'config.yaml');
    writeFileSync(file, '# mine\n');
    const { page, complaints } = await open(it, 'settings');
    await page.getByRole('heading', { name: enSettings.sections.keys, level: 2 }).waitFor();
    await page.getByRole('link', { name: enSettings.sections.model }).press('Enter');
    // A variable of the test sets the model.
    const model = row(page, 'model');
    await model.getByText(enSettings.lock.environment).waitFor();
    await model.getByText(`${enSettings.source.environment}: AGENT_MODEL`).waitFor();
    expect(await model.getByRole('combobox').count()).toBe(0);
    await page.getByLabel(names.approve.name).selectOption('ask');
    await row(page, 'approve').getByText(`${file}:3`).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: enSettings.saved(names.approve.name) })
      .waitFor({ state: 'attached' });
    expect(readFileSync(file, 'utf8')).toBe('# mine\n\napprove: ask\n');
    await page.getByRole('switch', { name: names.isolate.name }).press('Space');
    await expect.poll(() => readFileSync(file, 'utf8'), WAIT).toContain('isolate: true');
    await page.getByRole('link', { name: enSettings.sections.budgets }).click();
    const cost = page.getByLabel(names['limits.usd'].name);
    await cost.fill('12.5');
    await cost.press('Enter');
    await expect.poll(() => readFileSync(file, 'utf8'), WAIT).toContain('usd: 12.5');
    const { session } = await it.client.openSession({ body: {} });
    expect(await it.client.session({ params: { id: session } })).toMatchObject({ mode: 'ask', limits: { usd: 12.5 } });
    await row(page, 'limits.usd')
      .getByRole('button', { name: enSettings.reset(names['limits.usd'].name) })
      .click();
    await expect.poll(() => readFileSync(file, 'utf8'), WAIT).not.toContain('usd');
    await expect.poll(() => cost.inputValue(), WAIT).toBe('0');
    // Escape keeps what is stored.
    await cost.fill('99');
    await cost.press('Escape');
    expect(await cost.inputValue()).toBe('0');
    expect(complaints).toEqual([]);
  });

  test('folders for commands are added with a right, changed and removed', { tags: ['long'] }, async () => {
    await using it = await startTestServer();
    const stored = async () =>
      (await it.client.configuration()).settings.find(({ key }) => key === 'sandbox.folders')!.data;
    const { page } = await open(it, 'settings/sandbox');
    const { folders } = enSettings;
    const field = page.getByRole('textbox', { name: names['sandbox.folders'].name });
    await field.fill('/data');
    await field.press('Enter');
    await expect.poll(stored, WAIT).toEqual(['/data:ro']);
    await page.getByLabel(folders.rightOf('/data')).selectOption('rw');
    await expect.poll(stored, WAIT).toEqual(['/data:rw']);
    await field.fill('/other');
    await page.getByRole('button', { name: folders.add, exact: true }).click();
    await expect.poll(stored, WAIT).toEqual(['/data:rw', '/other:ro']);
    await page.locator('.skeleton').waitFor({ state: 'detached' });
    await expectAccessible(page, 'folders for commands');
    await page.getByRole('button', { name: folders.remove('/data') }).click();
    await page.getByRole('button', { name: folders.remove('/other') }).click();
    await expect.poll(stored, WAIT).toEqual([]);
    expect((await it.client.configuration()).settings.find(({ key }) => key === 'sandbox.folders')!.source).toBe(
      'default',
    );
  });

  test('a value that is not saved is put back, and the reason is shown', { tags: ['long'] }, async () => {
    await using it = await startTestServer();
    const { page } = await open(it, 'settings/budgets');
    const name = names['limits.tokens'].name;
    const field = page.getByLabel(name);
    await expect.poll(() => field.inputValue(), WAIT).toMatch(/^\d+$/);
    const before = await field.inputValue();
    await field.fill('-5');
    await field.press('Enter');
    await page.locator('.toast').getByText(enSettings.notSaved(name)).waitFor();
    await expect.poll(() => field.inputValue(), WAIT).toBe(before);
    expect(existsSync(join(it.place.home, 'config.yaml'))).toBe(false);
    // The same without a connection.
    await page.route('**/api/configuration/**', (route) => route.abort());
    await field.fill('7');
    await field.press('Enter');
    await expect.poll(() => field.inputValue(), WAIT).toBe(before);
  });

  test('the search finds settings by name, key and variable', { tags: ['long'] }, async () => {
    await using it = await startTestServer();
    const { page } = await open(it, 'settings');
    // Until it is opened, the search of the sessions is the only field of its kind.
    await page.getByRole('button', { name: enSettings.search }).waitFor();
    expect(await page.getByRole('searchbox').count()).toBe(1);
    await page.getByRole('button', { name: enSettings.search }).press('Enter');
    const search = page.getByRole('searchbox', { name: enSettings.search });
    for (const [query, key] of [
      ['cost of a session', 'limits.usd'],
      ['sandbox.env', 'sandbox.env'],
      ['KLAUS_SERVER_IDLE_EXIT', 'server.idleExitMs'],
    ] as const) {
      await search.fill(query);
      await row(page, key).waitFor();
      expect(await page.locator('[data-setting]').count(), query).toBeLessThan(10);
    }
    // Settings of the server are changed on its machine.
    await row(page, 'server.idleExitMs').getByText(enSettings.lock.machine.split('.')[0]!).waitFor();
    await search.fill('zzzz');
    await page.getByText(enSettings.none('zzzz')).waitFor();
    await search.press('Escape');
    await page.getByRole('heading', { name: enSettings.sections.keys, level: 2 }).waitFor();
    const button = page.getByRole('button', { name: enSettings.search });
    await expect.poll(() => button.evaluate((it) => it === it.ownerDocument.activeElement), WAIT).toBe(true);
  });

  test('shortcuts are changed, conflicts are refused, and the defaults come back', { tags: ['long'] }, async () => {
    await using it = await startTestServer();
    const { page } = await open(it, 'settings/keyboard');
    const { keyboard } = enSettings;
    const change = page.getByRole('button', { name: `${keyboard.change(en.keys.usage)}:` });
    await change.click();
    const recorder = page.getByRole('textbox', { name: keyboard.change(en.keys.usage), exact: true });
    await recorder.press('n');
    await page.getByText(keyboard.conflict(en.keys.newSession)).waitFor();
    await recorder.press('Enter');
    expect(await recorder.isVisible()).toBe(true);
    await recorder.press('Backspace');
    await recorder.press('Control+t');
    await page.getByText(keyboard.reserved).waitFor();
    await recorder.press('Backspace');
    await recorder.press(';');
    await expectAccessible(page, 'a shortcut that is recorded', { looks: ONE_LOOK });
    await recorder.press('u');
    await recorder.press('Enter');
    expect(await change.textContent()).toBe('; u');
    const press = async (...keys: string[]) => {
      await page.locator('#content').focus();
      for (const key of keys) await page.keyboard.press(key);
    };
    await press('g', 'u');
    expect(new URL(page.url()).hash).toBe('#/settings/keyboard');
    await press(';', 'u');
    await page.getByRole('heading', { name: en.usage.title }).waitFor();
    // The browser keeps it.
    await page.goto(`${it.server.url}/#/settings/keyboard`);
    await page.reload();
    await change.waitFor();
    expect(await change.textContent()).toBe('; u');
    await change.click();
    await recorder.press('Backspace');
    await page
      .getByRole('button', { name: keyboard.change(en.keys.usage) })
      .getByText(keyboard.none)
      .waitFor();
    await page.getByRole('button', { name: keyboard.resetAll }).click();
    await expect.poll(() => change.textContent(), WAIT).toBe('g u');
    await press('g', 'u');
    await page.getByRole('heading', { name: en.usage.title }).waitFor();
    // The command opens the section that has theme and language.
    await page.keyboard.press('Control+,');
    await page.getByRole('heading', { name: enSettings.sections.appearance }).waitFor();
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { name: deSettings.sections.appearance }).waitFor();
  });

  test('notes are added, deleted and restored', { tags: ['long'] }, async () => {
    await using it = await startTestServer();
    const { page } = await open(it, 'settings/memory');
    const { memory } = enSettings;
    await page.getByText(memory.empty).waitFor();
    await page.getByRole('textbox', { name: memory.key, exact: true }).fill('tests');
    await page.getByRole('textbox', { name: memory.value, exact: true }).fill('npm test -- --run <b>never</b>');
    await page.getByRole('button', { name: memory.save }).click();
    const stored = async () =>
      (await it.client.memory()).notes.map(({ key, scope, category }) => [key, scope, category]);
    await expect.poll(stored, WAIT).toEqual([['tests', 'project', 'general']]);
    await it.client.setNote({ body: { key: 'tests', value: 'npm test -- --run <b>never</b>', category: 'pinned' } });
    await page.reload();
    await page.getByRole('listitem').getByText('<b>never</b>').waitFor();
    await expectAccessible(page, 'notes', { looks: ONE_LOOK });
    await page.getByRole('button', { name: memory.remove('tests') }).click();
    await page.getByText(memory.empty).waitFor();
    await expect.poll(stored, WAIT).toEqual([]);
    await page.locator('.toast').getByRole('button', { name: en.sessions.undo }).click();
    await expect.poll(stored, WAIT).toEqual([['tests', 'project', 'pinned']]);
  });

  test('switched off, the page says why, and keeps what this browser stores', { tags: ['long'] }, async () => {
    await using it = await startTestServer({ env: { ...NO_KEY, KLAUS_SERVER_SETTINGS: 'false' } });
    const { page, complaints } = await open(it);
    // The start page names the command instead of a field.
    await page.locator('.key-hint code').getByText('klaus login anthropic').waitFor();
    await page.goto(`${it.server.url}/#/settings/keys`);
    await page.getByText(enSettings.off).waitFor();
    await expectAccessible(page, 'settings that are switched off');
    const links = page.getByRole('navigation', { name: enSettings.title }).getByRole('link');
    expect(await links.allTextContents()).toEqual(
      (['appearance', 'notifications', 'keyboard'] as const).map((section) => enSettings.sections[section]),
    );
    await links.first().click();
    await page.getByRole('heading', { name: enSettings.sections.appearance }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a viewer and an operator see no keys and no settings of the server', async () => {
    await using it = await startTestServer({
      env: {
        ...NO_KEY,
        KLAUS_SERVER_SIGN_IN: 'proxy',
        AGENT_TRUST_PROXY: 'loopback',
        KLAUS_SERVER_ROLES: 'team=operator,readers=viewer',
      },
    });
    for (const group of ['team', 'readers']) {
      const page = await browser.newPage({
        locale: 'en-GB',
        extraHTTPHeaders: { 'x-forwarded-user': 'bob', 'x-forwarded-groups': group },
      });
      const complaints = watch(page);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${it.server.url}/#/settings/keys`);
      await page.getByText(enSettings.notAdmin).waitFor();
      await page.goto(`${it.server.url}/#/`);
      await page.locator('.key-hint').waitFor();
      expect(asked.filter((path) => /^\/api\/(?:keys|configuration|checks)/.test(path))).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    }
  });

  test('the demo runs without a key', { tags: ['long'] }, async () => {
    using place = createTestHome();
    const model = await startServer({ steps: [] });
    const served = await startServeProcess(place, model, { env: NO_KEY });
    try {
      const { page } = await openPage(browser, { url: served.url });
      onTestFinished(() => page.close());
      await page.getByRole('button', { name: enSettings.first.demo }).click();
      await page.locator('.end-good').waitFor({ timeout: 120_000 });
      expect(model.requests).toHaveLength(0);
      const { sessions } = await served.client.sessions();
      for (const { workspace } of sessions) rmSync(workspace, { recursive: true });
    } finally {
      served.process.kill('SIGTERM');
      await served.process.ended;
      await model.close();
    }
  });

  test(
    'every section passes axe in every look, with high contrast, and in German',
    { tags: ['long'], timeout: 300_000 },
    async () => {
      await using it = await startTestServer();
      const { page, complaints } = await open(it);
      const heading = (name: string) => page.getByRole('heading', { name, level: 2 });
      for (const section of SECTIONS) {
        await page.goto(`${it.server.url}/#/settings/${section}`);
        await heading(enSettings.sections[section]).waitFor();
        await page.locator('.skeleton').waitFor({ state: 'detached' });
        if (section === 'sandbox') await page.getByText(enSettings.checks.others).click();
        await expectAccessible(page, section);
      }
      await page.goto(`${it.server.url}/#/settings/appearance`);
      await page.getByRole('button', { name: en.preferences.themes.contrast }).click();
      for (const section of ['keys', 'sandbox', 'keyboard'] as const) {
        await page.goto(`${it.server.url}/#/settings/${section}`);
        await heading(enSettings.sections[section]).waitFor();
        await page.locator('.skeleton').waitFor({ state: 'detached' });
        await expectAccessible(page, `${section}, high contrast`);
      }
      const german = await open(it, 'settings/sandbox', 'de-DE');
      await german.page.getByRole('heading', { name: deSettings.sections.sandbox, level: 2 }).waitFor();
      await german.page.getByText(deSettings.names['sandbox.folders'].name).waitFor();
      await expectAccessible(german.page, 'German', { looks: ONE_LOOK });
      expect([...complaints, ...german.complaints]).toEqual([]);
    },
  );
});
