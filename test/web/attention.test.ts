// Covers apps/web/shell, apps/web/actions, apps/terminal/app: one notification for one event, over terminals and tabs.
import type { Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { type Emulator, KEYS, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, runKlaus, toEnv } from '../fixtures/klaus.ts';
import { watch } from '../fixtures/page.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

const WAIT = { timeout: 30_000 };
const FOCUS_OUT = '\u001b[O';

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { after: 'write_file' }, reply: { text: 'It is written.' } },
    {
      when: { user: 'write' },
      reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] },
    },
  ],
  fallback: { text: 'Hello.' },
};

/** Lets the test hide the tab, and records its notifications. */
const TAB = `
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  Object.defineProperty(document, 'visibilityState', { get: () => (isHidden ? 'hidden' : 'visible') });
  document.hasFocus = () => !isHidden;
  globalThis.turn = (hidden) => {
    isHidden = hidden;
    document.dispatchEvent(new Event('visibilitychange'));
  };
  globalThis.notified = [];
  globalThis.Notification = class extends EventTarget {
    static permission = 'granted';
    constructor(title, { tag }) {
      super();
      notified.push(tag);
    }
  };
  if (location.protocol !== 'about:') localStorage.setItem('klaus.preferences', JSON.stringify({ notify: true }));
`;

const MISSING = WITHOUT_BROWSER ?? (hasScript ? undefined : 'without script');

describe.skipIf(MISSING !== undefined)(`two terminals and a tab${MISSING ? `, ${MISSING}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let it: TestServer;
  let page: Page;
  let complaints: string[];
  let session: string;
  const terminals: Emulator[] = [];
  const counts = [0, 0];

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT });
    browser = await openBrowser();
    ({ session } = await it.client.openSession({ body: { text: 'hello', mode: 'ask' } }));
    const context = await browser.newContext({ locale: 'en-GB' });
    await context.addInitScript(TAB);
    page = await context.newPage();
    complaints = watch(page);
    await page.goto(`${it.server.url}/#token=${it.server.token}`);
    await page
      .getByRole('link', { name: /title|hello/ })
      .first()
      .waitFor();
    for (const at of [0, 1]) {
      const terminal = await openEmulator([process.execPath, MAIN, 'chat', 'klaus', '--new'], {
        env: toEnv({ place: it.place, server: it.model }),
        cwd: it.place.workspace,
        rows: 30,
      });
      terminals.push(terminal);
      await terminal.shows('mode ');
      terminal.type(`/resume ${session}${KEYS.enter}`);
      await terminal.shows('Hello.');
      terminal.terminal.parser.registerOscHandler(777, () => ++counts[at]! > 0);
    }
  }, 120_000);
  afterAll(async () => {
    for (const terminal of terminals) await terminal[Symbol.asyncDispose]();
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  /** Notifications of all of them. */
  const total = async () => counts[0]! + counts[1]! + ((await page.evaluate('notified')) as string[]).length;

  async function claims(): Promise<number> {
    const { stdout } = await runKlaus(['db', 'query', 'SELECT count(*) AS n FROM notification_claims', '--json'], {
      place: it.place,
    });
    return (JSON.parse(stdout) as { n: number }).n;
  }

  async function ask(): Promise<string> {
    await it.client.sendPrompt({ params: { id: session }, body: { text: 'write it', delivery: 'queue' } });
    for (const terminal of terminals) await terminal.shows('Tab answers');
    await expect.poll(() => page.title(), WAIT).toMatch(/^\(1\) .*Klaus$/);
    return (await it.client.approvals()).approvals[0]!.id;
  }

  async function answer(approval: string): Promise<void> {
    await it.client.answer({ params: { id: approval }, body: { answer: 'rejected' } });
    for (const terminal of terminals) await terminal.hides('Tab answers');
    await expect.poll(() => page.title(), WAIT).toMatch(/^[^(].*Klaus$|^Klaus$/);
  }

  test('of one approval one of them notifies', async () => {
    for (const terminal of terminals) terminal.type(FOCUS_OUT);
    await page.evaluate('turn(true)');
    const approval = await ask();
    await expect.poll(total, WAIT).toBe(1);
    expect(await it.client.claimNotification({ body: { item: approval } })).toEqual({ claimed: false });
    await answer(approval);
    expect(await total()).toBe(1);
  });

  test('none notifies while the tab shows the session to the user', async () => {
    await page.evaluate('turn(false)');
    await page.goto(`${it.server.url}/#/s/${session}`);
    await page.getByText('Hello.').first().waitFor();
    const before = await claims();
    const approval = await ask();
    await expect.poll(claims, WAIT).toBe(before + 1);
    await answer(approval);
    expect(await total()).toBe(1);
    expect(complaints).toEqual([]);
  });
});
