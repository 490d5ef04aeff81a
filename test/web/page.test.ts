// Covers apps/web: the page in a browser.
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startTestServer, type TestServer, untilReleased } from '../fixtures/server.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';

const COLOURS = String.raw`printf '\033[38;2;1;2;250mdeep\033[0m\n10 %%\r100 %%\n'; seq 1 300; exit 3`;

const cells = (word: string) => `|${Array.from({ length: 40 }, (_, at) => ` ${word}-${at} `).join('|')}|`;
const TABLE = `${cells('column')}\n|${'---|'.repeat(40)}\n${cells('value')}`;

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { user: 'write', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: 'src/new.js', content: 'export const a = 1;\n' } }] },
    },
    {
      when: { user: 'many lines', turn: 0 },
      reply: { calls: [{ name: 'run_command', input: { command: 'seq 1 30000' } }] },
    },
    { when: { user: 'colours', turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: COLOURS } }] } },
    { when: { user: 'wide' }, reply: { text: `${TABLE}\n\nمرحبا بالعالم` } },
    { when: { user: 'outage' }, reply: { text: 'x' }, faults: [{ kind: 'status', status: 400, message: 'No.' }] },
  ],
  fallback: { text: 'Fine.' },
};

/** Milliseconds, with time for a busy machine. */
const WAIT = { timeout: 30_000 };

/** A pattern for a text with a number. */
function toPattern(text: (n: number) => string): RegExp {
  return new RegExp(text(2).replace('2', '\\d+'));
}

const LINES = Array.from({ length: 400 }, (_, at) => `line ${at + 1}`).join('\n');

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `the page at work${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({ script: SCRIPT, files: { 'src/long.txt': LINES, 'gone.txt': 'x\n' } });
      browser = await openBrowser();
      page = await browser.newPage({ locale: 'en-GB' });
      page.setDefaultTimeout(20_000);
      await page.goto(`${it.server.url}/#token=${it.server.token}`);
      await page.getByRole('heading', { name: en.home.title }).waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    /** Opens a new session in the page. */
    async function open(text: string, mode: 'ask' | 'auto' = 'auto'): Promise<string> {
      const { session } = await it.client.openSession({ body: { text, mode } });
      await page.goto(`${it.server.url}/#/s/${session}`);
      await page.getByText(text).first().waitFor();
      // Shortcuts work once the session is in the list.
      await page.locator('.sidebar a[aria-current="page"]').waitFor();
      return session;
    }

    const message = () => page.getByRole('textbox', { name: en.composer.label });

    /** Moves the focus out of the text field, so that shortcuts work. */
    const leaveField = () => page.locator('.conversation-scroll').focus();

    test('a shortcut answers a question, except while single-key shortcuts are off', async () => {
      await open('write a file', 'ask');
      await page.locator('[data-question]').waitFor();
      await leaveField();
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByLabel(en.preferences.letterKeys).uncheck();
      await page.keyboard.press('Escape');
      // Letters answer only a focused question, and only if the user did not turn them off.
      await leaveField();
      await page.keyboard.press('Alt+a');
      await page.keyboard.press('y');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(en.keys.lettersOn);
      await page.keyboard.press('Enter');
      expect(await page.locator('[data-question]').count()).toBe(1);
      await leaveField();
      // The announcements to screen readers.
      await page.evaluate(`{
        const region = document.querySelector('.session-page > [role=status]');
        globalThis.announced = [];
        new MutationObserver(() => announced.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
      }`);
      await page.keyboard.press('y');
      await page.keyboard.press('Enter');
      expect(await page.locator('[data-question]').count()).toBe(1);
      await page.keyboard.press('Alt+a');
      await page.keyboard.press('y');
      await page.getByText(en.call.answer.approved).first().waitFor();
      await page.locator('.end').waitFor();
      await expect.poll(() => page.evaluate('announced.at(-1)'), WAIT).toContain(en.facts.outcome.done);
      // Each only once. A short run may end before its start is announced.
      const announced = (await page.evaluate('announced')) as string[];
      expect(announced.length).toBe(new Set(announced).size);
      expect(announced.length).toBeLessThanOrEqual(2);
    });

    test('a draft survives a reload, and Arrow Up recalls a prompt', { tags: ['long'] }, async () => {
      await open('say something');
      await page.locator('.end').waitFor();
      await message().fill('half a thou');
      await page.reload();
      await expect.poll(() => message().inputValue(), WAIT).toBe('half a thou');
      await message().fill('');
      await page.keyboard.press('ArrowUp');
      expect(await message().inputValue()).toBe('say something');
      await page.keyboard.press('ArrowDown');
      expect(await message().inputValue()).toBe('');
    });

    test('Enter that ends a composition sends nothing', async () => {
      const session = await open('compose');
      await page.locator('.end').waitFor();
      await message().fill('日本');
      const compose = () =>
        page.evaluate(`document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, isComposing: true }))`);
      await compose();
      expect(await message().inputValue()).toBe('日本');
      // Nor does it choose a command.
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('theme');
      await compose();
      expect(await page.getByRole('dialog').count()).toBe(1);
      await page.keyboard.press('Escape');
      const { queue } = await it.client.session({ params: { id: session } });
      expect(queue).toEqual([]);
      await message().fill('');
    });

    test('a queued message is withdrawn, or moved to the message field', async () => {
      const session = await open('write while I say more', 'ask');
      await page.locator('[data-question]').waitFor();
      for (const words of ['first of two', 'second of two']) {
        await message().fill(words);
        await page.keyboard.press('Alt+Enter');
        await page.locator('.entry-queued').getByText(words).waitFor();
      }
      await page
        .locator('.entry-queued')
        .first()
        .getByRole('button', { name: en.conversation.removeQueued, exact: true })
        .click();
      await page.getByText('first of two').waitFor({ state: 'detached' });
      // A shell command of another client can be withdrawn, and not be edited as a message.
      await it.client.shell({ params: { id: session }, body: { command: 'echo from elsewhere' } });
      const shell = page.locator('.entry-queued', { hasText: '!echo from elsewhere' });
      await shell.waitFor();
      expect(await shell.getByRole('button', { name: en.conversation.editQueued }).count()).toBe(0);
      await shell.getByRole('button', { name: en.conversation.removeQueued, exact: true }).click();
      await shell.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: en.conversation.editQueued }).click();
      await expect.poll(() => message().inputValue(), WAIT).toBe('second of two');
      await expect.poll(() => page.locator('.entry-queued').count(), WAIT).toBe(0);
      expect((await it.client.session({ params: { id: session } })).queue).toEqual([]);
      await message().fill('');
    });

    test('output is shown as in a terminal, first its end and then all of it', async () => {
      await open('colours please');
      await page.locator('.end').waitFor();
      await page.locator('.call-head').first().click();
      const terminal = page.locator('.call-body .terminal');
      await terminal.getByText('300', { exact: true }).or(terminal).first().waitFor();
      expect(await terminal.innerText()).not.toContain('deep');
      await page.getByRole('button', { name: toPattern(en.call.showEarlier) }).click();
      await expect.poll(() => terminal.innerText(), WAIT).toContain('deep');
      expect(await terminal.innerText()).not.toContain('10 %\n');
      // A colour with too little contrast is lightened in the dark theme.
      await page.emulateMedia({ colorScheme: 'dark' });
      const color = await page.evaluate(`getComputedStyle(document.querySelector('.call-body .terminal span')).color`);
      expect(color).not.toBe('rgb(1, 2, 250)');
      await page.emulateMedia({ colorScheme: null });
      await page.getByText(en.call.exit(3), { exact: false }).first().waitFor();
    });

    test('an output of which the log has a part gives its own number of lines, and all of them', async () => {
      await open('many lines please');
      await page.locator('.end').waitFor();
      const head = page.locator('.call-head').first();
      // The call of another session with the same id may be open.
      if ((await head.getAttribute('aria-expanded')) === 'false') await head.click();
      const body = page.locator('.call-body');
      await body.getByText(/^30,000 lines, [\d,]+ shown$/).waitFor();
      await body.getByRole('button', { name: en.call.showAll }).click();
      await body.getByText(en.call.lines(30_000), { exact: true }).waitFor();
      expect(await body.getByRole('button', { name: en.call.showAll }).count()).toBe(0);
    });

    test('a file can be searched, linked by line and mentioned in a message', { tags: ['long'] }, async () => {
      const session = await open('look at files');
      await page.locator('.end').waitFor();
      await page.goto(`${it.server.url}/#/s/${session}/files?path=src%2Flong.txt&line=350`);
      await page.locator('.file-text [aria-current="location"]').getByText('line 350').waitFor();
      await page.locator('.file-text').focus();
      await page.keyboard.press('Control+f');
      await page.keyboard.type('LINE 77');
      await page.getByText(en.files.found(1, 1)).waitFor();
      await page.locator('.file-text [aria-current="location"]').getByText('line 77').waitFor();
      expect(page.url()).toContain('line=77');
      await page.locator('.file-text').focus();
      await page.keyboard.press('@');
      await expect.poll(() => message().inputValue(), WAIT).toBe('@src/long.txt ');
      // Fuzzy matching.
      await message().fill('Read @slong');
      await page.getByRole('option', { name: '@src/long.txt' }).waitFor();
      await page.keyboard.press('Enter');
      expect(await message().inputValue()).toBe('Read @src/long.txt ');
      await message().fill('');
    });

    test('a small window shows all controls, and text keeps its direction', { tags: ['long'] }, async () => {
      await open('wide');
      await page.locator('.end').waitFor();
      // Columns do not break words; the table scrolls.
      const sizes = await page.evaluate(`(() => {
        const table = document.querySelector('.markdown-table');
        const rows = table.querySelector('tbody tr').getBoundingClientRect().height;
        const [rtl] = [...document.querySelectorAll('.markdown p')].slice(-1);
        const range = document.createRange();
        range.selectNodeContents(rtl);
        return {
          isScrolled: table.scrollWidth > 2 * table.clientWidth,
          rows,
          gap: rtl.getBoundingClientRect().right - range.getBoundingClientRect().right,
        };
      })()`);
      expect(sizes).toMatchObject({ isScrolled: true });
      const { rows, gap } = sizes as { rows: number; gap: number };
      expect(rows).toBeLessThan(60);
      expect(gap).toBeLessThan(4);
      // 1280 pixels at 200 % and at 400 %.
      for (const [width, height] of [
        [640, 360],
        [320, 256],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const it of [
          page.getByRole('link', { name: en.tabs.gate }),
          page.getByRole('button', { name: en.composer.send }),
          page.locator('.status-more'),
        ]) {
          await it.scrollIntoViewIfNeeded();
          const box = (await it.boundingBox())!;
          expect(box.y).toBeGreaterThanOrEqual(0);
          expect(box.y + box.height, `${await it.innerText()} at ${width}`).toBeLessThanOrEqual(height);
        }
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
      await page.setViewportSize({ width: 1_280, height: 720 });
    });

    test('a hundred attachments leave room for the conversation', { tags: ['long'] }, async () => {
      await open('say it with pictures');
      await page.locator('.end').waitFor();
      await page.evaluate(`(() => {
        const data = new DataTransfer();
        for (let at = 0; at < 100; at++) data.items.add(new File([new Uint8Array(at + 1)], at + '.png', { type: 'image/png' }));
        const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
        document.querySelector('.composer-field').dispatchEvent(paste);
      })()`);
      const attached = page.locator('.composer .attachments li');
      await expect.poll(() => attached.count(), WAIT).toBe(100);
      const box = (await page.locator('.composer').boundingBox())!;
      expect(box.height).toBeLessThan(480);
      expect(await page.locator('.conversation-scroll').isVisible()).toBe(true);
      await attached.last().scrollIntoViewIfNeeded();
      for (let left = 100; left > 98; left--) await attached.last().getByRole('button').last().click();
      expect(await attached.count()).toBe(98);
      await page.reload();
    });

    test(
      'a failed run is retried in place, a completed one in a fork with a link back',
      { tags: ['long'] },
      async () => {
        const broken = await open('outage');
        await page.getByText(en.failures.titles.invalid_request).first().waitFor();
        await page.locator('.end').waitFor();
        await leaveField();
        await page.keyboard.press('R');
        await expect.poll(() => page.locator('.end').count(), WAIT).toBe(2);
        expect(page.url()).toContain(broken);

        const done = await open('be done');
        await page.locator('.end').waitFor();
        await leaveField();
        await page.keyboard.press('R');
        await page.getByText(en.conversation.retriedInFork).waitFor();
        expect(page.url()).not.toContain(done);
        await page.getByRole('button', { name: en.conversation.toOriginal }).click();
        await expect.poll(() => page.url(), WAIT).toContain(done);
      },
    );

    test('a title is edited in place, and a dialog restores the focus', { tags: ['long'] }, async () => {
      await open('name me');
      await page.locator('.end').waitFor();
      await page.locator('.session-title button').dblclick();
      await page.keyboard.type('Another name');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Another name' }).waitFor();
      await page.locator('.status-more').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByLabel(en.budget.names.turns).fill('7');
      await page.getByRole('dialog').getByRole('button', { name: en.sessions.save }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.className')).toContain('status-more');
    });

    test('a deleted session and an unknown one are reported as not found', { tags: ['long'] }, async () => {
      const session = await open('to be deleted');
      await page.locator('.end').waitFor();
      await untilReleased(it.client, session);
      await it.client.deleteSession({ params: { id: session } });
      await page.getByRole('heading', { name: en.sessions.gone }).waitFor();
      await page.goto(`${it.server.url}/#/s/01AAAAAAAAAAAAAAAAAAAAAAAA`);
      await page.getByRole('heading', { name: en.sessions.gone }).waitFor();
      expect(await page.getByRole('button', { name: en.app.back }).isVisible()).toBe(true);
    });
  },
);
