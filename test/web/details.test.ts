// Covers apps/web/conversation, apps/web/shell, apps/web/style, apps/web/markdown, apps/web/ansi: details of the page in daily use.
import { readFileSync } from 'node:fs';
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TERMINAL, toContrast } from '../../apps/web/ansi/contrast.ts';
import { en } from '../../apps/web/text/en.ts';
import { enSettings } from '../../apps/web/text/settings/en-settings.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { openPage, scrollToBeginning } from '../fixtures/page.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const status = (code: number, message: string) => ({ kind: 'status', status: code, message }) as const;
const HEADINGS = '# One\n\n## Two\n\n### Three\n\nText.';
const LONG = Array.from({ length: 120 }, (_, at) => `Paragraph ${at + 1}.`).join('\n\n');

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'rejected key' }, reply: { text: 'x' }, faults: [status(401, 'invalid x-api-key')] },
    {
      when: { user: 'overloaded' },
      reply: { text: 'After the retries.' },
      faults: [529, 529, 529].map((code) => status(code, 'Overloaded')),
    },
    { when: { user: 'headings' }, reply: { text: HEADINGS } },
    { when: { user: 'long' }, reply: { text: LONG } },
    { when: { user: 'cut' }, reply: { text: `Some **bold words and more of them ${'word '.repeat(60)}` }, pace: 250 },
    {
      when: { user: 'colours', turn: 0 },
      reply: {
        calls: [{ name: 'run_command', input: { command: String.raw`printf '\033[38;2;250;250;250mpale\033[0m\n'` } }],
      },
    },
  ],
  fallback: { text: 'Fine.' },
};

/** Milliseconds, with time for a busy machine. */
const WAIT = { timeout: 30_000 };

test('the 16 colours of terminals are readable in both themes', () => {
  const css = readFileSync(new URL('../../apps/web/ansi/terminal-output.css', import.meta.url), 'utf8');
  const read = (name: string) => {
    const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css)!;
    return { light: light!, dark: dark! };
  };
  for (let at = 0; at < 16; at++)
    for (const theme of ['light', 'dark'] as const) {
      const { background, text } = TERMINAL[theme];
      expect(toContrast(read(`ansi-${at}`)[theme], background), `${at} ${theme}`).toBeGreaterThanOrEqual(4.5);
      expect(toContrast(text, read(`ansi-on-${at}`)[theme]), `on ${at} ${theme}`).toBeGreaterThanOrEqual(4.5);
    }
});

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `details of the page${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    let it: TestServer;
    let page: Page;

    beforeAll(async () => {
      await provideWebPage();
      it = await startTestServer({
        script: SCRIPT,
        env: { KLAUS_RETRY_ATTEMPTS: '5' },
        settings: { 'limits.tokens': 60_000 },
      });
      browser = await openBrowser();
      ({ page } = await openPage(browser, { url: it.server.url, token: it.server.token! }));
      await page.getByRole('heading', { name: en.home.title }).waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      await it?.[Symbol.asyncDispose]();
    });

    async function open(text: string): Promise<string> {
      const { session } = await it.client.openSession({ body: { text, mode: 'auto' } });
      await page.goto(`${it.server.url}/#/s/${session}`);
      await page.locator('.said').getByText(text).waitFor();
      return session;
    }

    const box = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
    const style = (selector: string, name: string) =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue(${JSON.stringify(name)})`,
      );

    test('the message field of the start page has the focus', async () => {
      // The field is rendered after the heading.
      await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('composer-field');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
    });

    test('a rejected key is named once, with the command that sets it', async () => {
      await open('rejected key');
      const end = page.locator('.end-bad');
      await end.getByText(en.failures.titles.auth).waitFor();
      await end.locator('code').getByText('klaus login anthropic').waitFor();
      expect(await page.locator('.conversation').getByText('invalid x-api-key').count()).toBe(1);
      await end.getByRole('button', { name: en.app.retry }).waitFor();
    });

    test('retries are one row with a counter', async () => {
      await open('overloaded');
      await page.locator('.end-good').waitFor();
      const rows = page.locator('.fact.warn');
      expect(await rows.count()).toBe(1);
      expect(await rows.textContent()).toContain(en.failures.attempts(3));
    });

    test('the title names the session and its state', async () => {
      await open('headings');
      await page.locator('.end-good').waitFor();
      await expect.poll(() => page.title(), WAIT).toMatch(new RegExp(` · ${en.state.done} – Klaus$`));
      await page.goto(`${it.server.url}/#/usage`);
      await expect.poll(() => page.title(), WAIT).toBe(`${en.usage.title} – Klaus`);
    });

    test('an unknown address is not found, and leads to the start page', async () => {
      await page.goto(`${it.server.url}/#/nowhere`);
      await page.getByRole('heading', { name: en.app.notFound }).waitFor();
      await page.getByRole('button', { name: en.app.toHome }).click();
      await page.getByRole('heading', { name: en.home.title }).waitFor();
      expect(new URL(page.url()).hash).toBe('#/');
    });

    test('headings of an answer have a scale, and times have the date as tooltip', async () => {
      await open('headings');
      await page.locator('.end-good').waitFor();
      const sizes = await Promise.all(
        ['.markdown-h1', '.markdown-h2', '.markdown-h3', '.markdown p'].map(async (it) =>
          Number.parseFloat(await style(it, 'font-size')),
        ),
      );
      expect(sizes.toSorted((a, b) => b - a)).toEqual(sizes);
      // The smallest heading has the size of prose.
      expect(new Set(sizes).size).toBe(3);
      const time = page.locator('.entry-user time');
      expect(await time.getAttribute('title')).toMatch(/\d{4}/);
      expect(await time.textContent()).not.toMatch(/\d{4}/);
    });

    test('a scroll bar does not move the column, which is as wide as the message field', async () => {
      await open('headings');
      await page.locator('.end-good').waitFor();
      const short = await box('.said');
      await open('long');
      await page.locator('.end-good').waitFor();
      await page.getByText('Paragraph 120.').waitFor();
      await scrollToBeginning(page);
      const long = await box('.said');
      expect(long.x + long.width).toBe(short.x + short.width);
      const field = await box('.composer');
      expect(long.x + long.width).toBe(field.x + field.width);
      expect(await style('.conversation-scroll', 'scrollbar-width')).toBe('thin');
    });

    test('a long conversation is printed completely, without the controls', async () => {
      await open('long');
      await page.locator('.end-good').waitFor();
      const pdf = (await page.pdf()).toString('latin1');
      expect(pdf.match(/\/Type \/Page\b/g)!.length).toBeGreaterThan(2);
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('.composer').isVisible()).toBe(false);
      expect(await page.locator('.sidebar').isVisible()).toBe(false);
      await page.emulateMedia({ media: null });
    });

    test('a text that was cancelled has no dangling marks, and no mark of a failure', { tags: ['long'] }, async () => {
      await open('cut');
      await page.locator('.entry-model strong').waitFor();
      await page.locator('.status').getByText(en.status.elapsed).waitFor();
      await page.getByRole('button', { name: en.composer.stop }).click();
      await page.locator('.end-muted').waitFor();
      await expect.poll(() => page.locator('.entry-model').last().textContent(), WAIT).not.toContain('**');
      await page.locator(`.session-head .state-mark.muted[aria-label="${en.facts.outcome.cancelled}"]`).waitFor();
      expect(await page.locator('.session-head .bad').count()).toBe(0);
    });

    test(
      'a terminal is light in the light theme, and rows of calls and decisions are low',
      { tags: ['long'] },
      async () => {
        const session = await open('colours');
        await page.locator('.end-good').waitFor();
        const head = await box('.call > .call-head');
        expect(head.height).toBe(28);
        await page.locator('.call > .call-head').click();
        await page.locator('.terminal').waitFor();
        const toHex = (rgb: string) =>
          `#${rgb
            .match(/\d+/g)!
            .slice(0, 3)
            .map((part) => Number(part).toString(16).padStart(2, '0'))
            .join('')}`;
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(toHex(await style('.terminal', 'background-color'))).toBe(TERMINAL[colorScheme].background);
          const pale = toHex(await style('.terminal span', 'color'));
          expect(toContrast(pale, TERMINAL[colorScheme].background)).toBeGreaterThanOrEqual(4.5);
        }
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(`${it.server.url}/#/s/${session}/gate`);
        await page.locator('.decision').first().waitFor();
        expect((await box('.decision')).height).toBe(40);
      },
    );

    test('the question about a limit names the cause, and offers amounts', { tags: ['long'] }, async () => {
      const parts = [
        { type: 'text' as const, text: 'read the log' },
        { type: 'file' as const, name: 'huge.log', mediaType: 'text/plain', text: 'a line of a log\n'.repeat(40_000) },
      ];
      const { session } = await it.client.openSession({ body: { parts, mode: 'auto' } });
      await page.goto(`${it.server.url}/#/s/${session}`);
      const card = page.locator('[data-question]');
      await card.getByRole('heading', { name: / used\. Allow .* more\?$/ }).waitFor();
      await card.getByText('huge.log').waitFor();
      const amounts = card.getByLabel(en.approval.raiseTo);
      expect(await amounts.locator('option').count()).toBe(3);
      await amounts.selectOption({ index: 1 });
      const chosen = Number(await amounts.inputValue());
      await card.getByRole('button', { name: en.approval.approve }).click();
      await page.locator('.end-good').waitFor();
      const { limits } = await it.client.session({ params: { id: session } });
      expect(limits.tokens).toBe(chosen);
    });

    test('a text file beside an image keeps its height', async () => {
      const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      await page.goto(`${it.server.url}/#/`);
      await page.getByRole('heading', { name: en.home.title }).waitFor();
      await page.locator('input[type=file]').setInputFiles([
        { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('text') },
        { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(data, 'base64') },
      ]);
      const chips = page.locator('.composer .attachments li');
      await expect.poll(() => chips.count(), WAIT).toBe(2);
      await page.locator('.composer .attachments img').evaluate((image) => (image.style.height = '100px'));
      expect((await chips.nth(0).boundingBox())!.height).toBeLessThan((await chips.nth(1).boundingBox())!.height / 2);
    });

    test('a lost connection is reported over the page, which does not move', async () => {
      await open('headings');
      await page.locator('.end-good').waitFor();
      const before = await box('.session-head');
      await it.server.close();
      await page.getByText(en.link.offline).waitFor();
      expect(await box('.session-head')).toEqual(before);
    });
  },
);

test.skipIf(WITHOUT_BROWSER !== undefined)(
  'without a key, the start page says so before anything is sent',
  async () => {
    await provideWebPage();
    await using it = await startTestServer({ env: { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' } });
    await using browser = await openBrowser();
    const { page } = await openPage(browser, { url: it.server.url, token: it.server.token! });
    const card = page.getByRole('region', { name: enSettings.first.title });
    await card.getByLabel(enSettings.key.label('Anthropic')).waitFor();
    await page.getByRole('textbox', { name: en.composer.label }).fill('hello');
    await page.keyboard.press('Enter');
    // The failure is named, and commands are set as code.
    const toast = page.locator('.toast');
    await toast.locator('code').first().waitFor();
    expect(await toast.textContent()).not.toContain('`');
    expect(await toast.textContent()).not.toContain(en.app.failed);
    await toast.getByRole('button', { name: en.app.settings }).click();
    await page.getByRole('heading', { name: enSettings.sections.keys, level: 2 }).waitFor();
  },
);
