// Covers apps/web/composer, apps/web/ui, apps/web/keys: attachments, models, effort, estimates and dictation of the message field.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { expectAccessible, openPage, type WatchedPage } from '../fixtures/page.ts';
import { startTestServer, type TestServer, untilSession, untilState } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };
/** A PNG of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The recognition of the browser, driven by the test as `said('…')`. */
const SPEECH = `globalThis.webkitSpeechRecognition = undefined;
globalThis.SpeechRecognition = class extends EventTarget {
  start() {
    globalThis.said = (transcript) => {
      const result = Object.assign([{ transcript }], { isFinal: true });
      this.dispatchEvent(Object.assign(new Event('result'), { resultIndex: 0, results: [result] }));
    };
  }
  stop() { this.dispatchEvent(new Event('end')); }
  abort() {}
};`;

describe.skipIf(WITHOUT_BROWSER !== undefined)(`the composer${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({
      script: {
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          {
            when: { user: 'ask', turn: 0 },
            reply: { calls: [{ name: 'run_command', input: { command: 'true' } }] },
          },
        ],
        fallback: { text: 'Fine.' },
      },
    });
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

  const field = () => page.getByRole('textbox', { name: en.composer.label });
  const attached = () => page.getByRole('list', { name: en.lists.attachments });
  /** Drops files on the message field. @param files Their content in Base64 by name. */
  const drop = (files: Record<string, { type: string; base64: string }>) =>
    page.evaluate(`(() => {
      const transfer = new DataTransfer();
      for (const [name, { type, base64 }] of Object.entries(${JSON.stringify(files)}))
        transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type }));
      document.querySelector('.composer-field').dispatchEvent(
        new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);

  /** Opens a session with a question, and deletes all others. @returns Its id. */
  const openOnlyQuestion = async (): Promise<string> => {
    for (const { id } of (await it.client.sessions({ query: {} })).sessions) {
      await it.client.cancel({ params: { id }, body: {} });
      await untilSession(it.client, id, ({ state }) => !['running', 'queued', 'needs-you'].includes(state));
      await it.client.deleteSession({ params: { id } });
    }
    await expect.poll(() => page.title(), WAIT).not.toContain('(');
    const { session } = await it.client.openSession({ body: { text: 'ask', mode: 'ask' } });
    await untilState(it.client, session, 'needs-you');
    return session;
  };

  test('dropped files have a preview, a full view and a button that removes them; the message contains them', async () => {
    const text = Buffer.from('first line\nsecond line\n').toString('base64');
    await drop({
      'dot.png': { type: 'image/png', base64: PNG },
      'notes.txt': { type: 'text/plain', base64: text },
      'gone.txt': { type: 'text/plain', base64: text },
      'evil"><img src=x onerror=alert(1)>.txt': { type: 'text/plain', base64: text },
    });
    await attached().getByRole('listitem').nth(3).waitFor();
    await expectAccessible(page, 'a message with attachments');
    expect(await attached().locator('img').count()).toBe(1);
    await attached()
      .getByRole('button', { name: `${en.lists.view} dot.png` })
      .click();
    await page.getByRole('dialog', { name: 'dot.png' }).getByRole('img', { name: 'dot.png' }).waitFor();
    await expectAccessible(page, 'an attached image');
    await page.keyboard.press('Escape');
    await attached()
      .getByRole('button', { name: `${en.lists.view} notes.txt` })
      .click();
    await page.getByRole('dialog', { name: 'notes.txt' }).getByText('second line').waitFor();
    await page.keyboard.press('Escape');
    for (const name of ['gone.txt', 'evil"><img src=x onerror=alert(1)>.txt'])
      await attached()
        .getByRole('button', { name: en.composer.removeAttachment(name) })
        .click();
    await field().fill('look at these');
    await page.keyboard.press('Enter');
    await page.locator('.said').waitFor();
    const { sessions } = await it.client.sessions();
    const { events } = await it.client.log({ params: { id: sessions[0]!.id } });
    const message = events.find((event) => event.type === 'message.added' && event.message.origin === 'user');
    const parts = message?.type === 'message.added' ? message.message.parts : [];
    expect(parts.map(({ type }) => type)).toEqual(['text', 'image', 'file']);
  });

  test('a large message has an estimate of its tokens and cost before it is sent', async () => {
    await page.goto(`${it.server.url}/#/`);
    await field().fill('short');
    expect(await page.locator('.composer-note').count()).toBe(0);
    await field().fill('word '.repeat(6_000));
    const note = page.locator('.composer-note');
    await note.waitFor();
    const { models } = await it.client.models();
    const { price } = models.find(({ isDefault }) => isDefault)!;
    expect(await note.textContent()).toContain(`$${((10_000 * price!.input) / 1_000_000).toFixed(2)}`);
    await field().fill('');
    await expect.poll(() => note.count(), WAIT).toBe(0);
  });

  test('a favourite model is first, also after a reload, and has a name for people', { tags: ['long'] }, async () => {
    const { models } = await it.client.models();
    const open = () => page.getByRole('button', { name: en.composer.modelIs('') }).click();
    await open();
    const options = page.getByRole('dialog', { name: en.composer.modelIs('') }).getByRole('option');
    await options.first().waitFor();
    expect(await options.count()).toBe(models.length);
    await page.keyboard.press('End');
    const last = (await options.last().textContent())!;
    await page.keyboard.press('Alt+Enter');
    await expect.poll(async () => (await options.first().textContent())?.includes(en.lists.favourite), WAIT).toBe(true);
    await expectAccessible(page, 'models with a favourite');
    await page.reload();
    await open();
    await options.first().waitFor();
    const first = (await options.first().textContent())!;
    expect(first).toContain(en.lists.favourite);
    expect(first.split(' · ')[0]).toContain(last.split(' · ')[0]!.trim());
    await page.keyboard.press('Escape');
  });

  test('the effort is that of the new session, and can be changed in it', async () => {
    await page.getByRole('button', { name: en.lists.effortIs(en.lists.efforts.default) }).click();
    await page.getByRole('menuitemradio', { name: en.lists.effortTexts.high }).click();
    await field().fill('with effort');
    await page.keyboard.press('Enter');
    await page.locator('.said').getByText('with effort').waitFor();
    const id = /#\/s\/([^/?]+)/.exec(page.url())![1]!;
    const efforts = async () =>
      (await it.client.log({ params: { id } })).events.flatMap((event) =>
        (event.type === 'session.opened' || event.type === 'session.changed') && event.effort ? [event.effort] : [],
      );
    expect(await efforts()).toEqual(['high']);
    await page.getByRole('button', { name: en.lists.effortIs(en.lists.efforts.high) }).click();
    await page.getByRole('menuitemradio', { name: en.lists.effortTexts.low }).click();
    await page.getByRole('button', { name: en.lists.effortIs(en.lists.efforts.low) }).waitFor();
    expect(await efforts()).toEqual(['high', 'low']);
  });

  test(
    'a saved prompt is a command whose placeholders are filled with Tab, and is changed and deleted',
    { tags: ['long'] },
    async () => {
      const t = en.lists.prompts;
      await page.goto(`${it.server.url}/#/`);
      await field().fill('Fix {{issue}} in {{where}}.');
      await page.getByRole('button', { name: t.title }).click();
      const dialog = page.getByRole('dialog', { name: t.title });
      await dialog.getByText(t.none).waitFor();
      await dialog.getByRole('button', { name: t.create }).click();
      await dialog.getByRole('textbox', { name: t.name, exact: true }).fill('../evil');
      await dialog.getByRole('button', { name: en.sessions.save }).click();
      await dialog.getByRole('alert').waitFor();
      await expectAccessible(page, 'the form of a prompt');
      await dialog.getByRole('textbox', { name: t.name, exact: true }).fill('team:fix');
      await dialog.getByRole('button', { name: en.sessions.save }).click();
      await dialog.getByText('/team:fix').waitFor();
      await expectAccessible(page, 'the saved prompts');
      expect(readFileSync(join(it.place.home, 'commands/team/fix.md'), 'utf8')).toBe('Fix {{issue}} in {{where}}.\n');
      await page.keyboard.press('Escape');
      await field().fill('');
      await field().pressSequentially('/team:f');
      await page.getByRole('option', { name: '/team:fix' }).click();
      await expect.poll(() => field().inputValue(), WAIT).toBe('Fix {{issue}} in {{where}}.');
      const selected = '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))';
      await expect.poll(() => page.evaluate(`${selected}(document.activeElement)`), WAIT).toBe('{{issue}}');
      await page.keyboard.type('#7');
      await page.keyboard.press('Tab');
      await page.keyboard.type('the parser');
      expect(await field().inputValue()).toBe('Fix #7 in the parser.');
      await field().fill('');
      await page.getByRole('button', { name: t.title }).click();
      await dialog.getByRole('button', { name: t.edit('team:fix') }).click();
      await dialog.getByRole('textbox', { name: t.description }).fill('Fix an "issue"');
      await dialog.getByRole('button', { name: en.sessions.save }).click();
      await dialog.getByText('Fix an "issue"').waitFor();
      await dialog.getByRole('button', { name: t.remove('team:fix') }).click();
      await dialog.getByText(t.none).waitFor();
      expect(existsSync(join(it.place.home, 'commands/team/fix.md'))).toBe(false);
      await page.keyboard.press('Escape');
    },
  );

  test('commands of the terminal work after a slash', { tags: ['long'] }, async () => {
    const { session } = await it.client.openSession({ body: { text: 'first', mode: 'auto' } });
    const call = async (name: string) => {
      await page.goto(`${it.server.url}/#/s/${session}`);
      await page.locator('.said').getByText('first').waitFor();
      await field().fill('');
      await field().pressSequentially(`/${name}`);
      await page.getByRole('option', { name: `/${name} ` }).waitFor();
      await page.keyboard.press('Enter');
    };
    await call('permissions');
    await expect.poll(() => page.url(), WAIT).toContain('/gate');
    await call('cost');
    await page.getByRole('dialog', { name: en.budget.title }).waitFor();
    await page.keyboard.press('Escape');
    await call('effort');
    await page.getByRole('menuitemradio', { name: en.lists.effortTexts.high }).waitFor();
    await page.keyboard.press('Escape');
    await call('title');
    await page.getByRole('textbox', { name: en.sessions.renameLabel }).waitFor();
    await page.keyboard.press('Escape');
    await call('keys');
    await expect.poll(() => page.url(), WAIT).toContain('settings/keyboard');
    await call('compact');
    const types = async () => (await it.client.log({ params: { id: session } })).events.map(({ type }) => type);
    await expect.poll(types, WAIT).toContain('compaction.requested');
    expect((await types()).filter((type) => type === 'message.added').length).toBe(2);
  });

  test(
    'Alt-Q leads from the message field and from a dialog to the session that needs the user',
    { tags: ['long'] },
    async () => {
      const session = await openOnlyQuestion();
      await page.goto(`${it.server.url}/#/`);
      await expect.poll(() => page.title(), WAIT).toContain('(1)');
      await field().fill('a draft');
      await page.keyboard.press('Alt+q');
      await expect.poll(() => page.url(), WAIT).toContain(session);
      await page.goto(`${it.server.url}/#/`);
      expect(await field().inputValue()).toBe('a draft');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Alt+q');
      await expect.poll(() => page.url(), WAIT).toContain(session);
      await expect.poll(() => page.getByRole('dialog').count(), WAIT).toBe(0);
    },
  );

  test('dictation adds words to the message, and is hidden in a browser without it', { tags: ['long'] }, async () => {
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.addInitScript(SPEECH);
    await other.goto(`${it.server.url}/#token=${it.server.token}`);
    const message = other.getByRole('textbox', { name: en.composer.label });
    await message.fill('please');
    await other.getByRole('button', { name: en.lists.voice }).click();
    await other.getByRole('button', { name: en.lists.voiceStop }).waitFor();
    await other.evaluate("said(' fix the tests ')");
    await expect.poll(() => message.inputValue(), WAIT).toBe('please fix the tests');
    await other.getByRole('button', { name: en.lists.voiceStop }).click();
    await other.getByRole('button', { name: en.lists.voice, exact: true }).waitFor();
    await other.addInitScript('globalThis.SpeechRecognition = globalThis.webkitSpeechRecognition = undefined');
    await other.reload();
    await message.waitFor();
    expect(await other.getByRole('button', { name: en.lists.voice }).count()).toBe(0);
    await context.close();
  });

  test(
    'the sound is off by default, and the badge of the page counts waiting sessions',
    { tags: ['long'] },
    async () => {
      await openOnlyQuestion();
      const context = await browser.newContext();
      const other = await context.newPage();
      await other.addInitScript(
        'globalThis.badges = []; navigator.setAppBadge = async (n) => badges.push(n); navigator.clearAppBadge = async () => badges.push(0);',
      );
      await other.goto(`${it.server.url}/#token=${it.server.token}`);
      await expect.poll(() => other.evaluate('badges.at(-1)'), WAIT).toBe(1);
      await other.goto(`${it.server.url}/#/settings/notifications`);
      expect(await other.getByRole('switch', { name: en.lists.sound }).isChecked()).toBe(false);
      await context.close();
    },
  );
});
