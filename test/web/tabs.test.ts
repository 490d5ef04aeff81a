// Covers apps/web/state, apps/server/streams: many tabs of the page.
import type { Draft } from '@klaus/core/agent';
import { createSqliteStore } from '@klaus/adapters/store';
import type { Script } from '@klaus/sdk';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../apps/web/text/en.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { parseExposition } from '../fixtures/exposition.ts';
import { watch } from '../fixtures/page.ts';
import { startTestServer, type TestServer, untilReleased } from '../fixtures/server.ts';

/** More tabs than a browser has connections to one server. */
const TABS = Number(process.env['TABS'] ?? 5);

const WAIT = { timeout: 30_000 };

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { user: 'write', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] },
    },
    { when: { user: 'talk' }, pace: 20, reply: { text: { repeat: 'and on ', times: 100_000 } } },
  ],
  fallback: { text: 'Fine.\n\n'.repeat(80) },
};

/**
 * A headless browser reports every tab as visible. This script sets the visibility as a browser with windows does, and
 * records notifications.
 */
const BEHIND_WINDOWS = `
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  Object.defineProperty(document, 'visibilityState', { get: () => (isHidden ? 'hidden' : 'visible') });
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

describe.skipIf(WITHOUT_BROWSER !== undefined)(`many tabs${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`, () => {
  let browser: Browser & AsyncDisposable;
  let context: BrowserContext;
  let it: TestServer;
  /** The tabs in the order in which they were opened. */
  let tabs: Page[] = [];
  let front: Page | undefined;
  const complaints: string[][] = [];
  let done = '';

  beforeAll(async () => {
    await provideWebPage();
    it = await startTestServer({ script: SCRIPT });
    browser = await openBrowser();
    context = await browser.newContext({ locale: 'en-GB' });
    await context.addInitScript(BEHIND_WINDOWS);
    done = await begin('be done', 'auto');
  });
  afterAll(async () => {
    await browser?.close();
    await it?.[Symbol.asyncDispose]();
  });

  async function begin(text: string, mode: 'ask' | 'auto'): Promise<string> {
    return (await it.client.openSession({ body: { text, mode } })).session;
  }

  /** Stores empty sessions, oldest first: copies of the log of one under other ids. */
  async function openMany(count: number): Promise<string[]> {
    using store = createSqliteStore({ home: it.klaus.home });
    const { session } = await it.client.openSession({ body: {} });
    const log = [...store.view.events(session)];
    const ids = Array.from({ length: count }, (_, at) => `01ZZ${String(at).padStart(22, '0')}`);
    for (const [at, id] of ids.entries()) {
      const lease = (await store.claim(id))!;
      const drafts = log.map(({ v: _v, seq: _seq, prev: _prev, session: _id, ...draft }) => ({
        ...draft,
        at: draft.at + at,
      }));
      await store.append(id, drafts as Draft[], { lease });
      await lease.release();
    }
    return ids;
  }

  /** The number of open streams of one kind on the server. */
  async function streams(kind: 'list' | 'session'): Promise<number> {
    const answer = await fetch(`${it.server.url}/metrics`, { headers: { authorization: `Bearer ${it.server.token}` } });
    const { samples } = parseExposition(await answer.text()).get('klaus_stream_subscribers')!;
    return samples.find(({ labels }) => labels['kind'] === kind)!.value;
  }

  /** Shows a tab and hides the one before. */
  async function show(page: Page): Promise<void> {
    await front?.evaluate('turn(true)');
    front = page;
    await page.bringToFront();
    await page.evaluate('turn(false)');
  }

  async function openTab(hash: string): Promise<Page> {
    await front?.evaluate('turn(true)');
    const page = await context.newPage();
    complaints.push(watch(page));
    front = page;
    tabs.push(page);
    // The first tab signs in; the others use its cookie.
    if (tabs.length === 1) {
      await page.goto(`${it.server.url}/#token=${it.server.token}`);
      await page.getByRole('link', { name: 'be done' }).waitFor();
    }
    await page.goto(`${it.server.url}/#${hash}`);
    return page;
  }

  /** The number of notifications for a session in all tabs. */
  async function notified(session: string): Promise<number> {
    const all = (await Promise.all(tabs.map((page) => page.evaluate('notified')))) as string[][];
    return all.flat().filter((tag) => tag === session).length;
  }

  /** The number of waiting sessions in a title. */
  const toCount = (title: string) => Number(/^\((\d+)\) /.exec(title)?.[1] ?? 0);
  const counts = () => Promise.all(tabs.map(async (page) => toCount(await page.title())));
  const all = (count: number) => tabs.map(() => count);
  const message = (page: Page) => page.getByRole('textbox', { name: en.composer.label });

  test('ten tabs share few connections', async () => {
    for (let at = 0; at < TABS; at++) {
      const page = await openTab(`/s/${done}`);
      await page.locator('.end').waitFor();
    }
    // Each receives changes while it is visible.
    for (const [at, page] of tabs.entries()) {
      await show(page);
      await it.client.changeSession({ params: { id: done }, body: { title: `Shown ${at}` } });
      await page.getByRole('heading', { name: `Shown ${at}`, exact: true }).waitFor();
    }
    await expect.poll(() => streams('list'), WAIT).toBe(1);
    await expect.poll(() => streams('session'), WAIT).toBe(1);
  });

  test(
    'a question changes all titles and shows one notification, until it is answered',
    { tags: ['long'] },
    async () => {
      const session = await begin('write a file', 'ask');
      await expect.poll(counts, WAIT).toEqual(all(1));
      await expect.poll(() => notified(session), WAIT).toBe(1);
      const last = tabs.at(-1)!;
      for (const page of [tabs[2]!, last]) {
        await show(page);
        await page.goto(`${page.url().split('#')[0]}#/s/${session}`);
        await page.locator('[data-question]').waitFor();
      }
      await last.locator('.conversation-scroll').focus();
      await last.keyboard.press('Alt+y');
      await expect.poll(counts, WAIT).toEqual(all(0));
      await show(tabs[2]!);
      await tabs[2]!.getByText(en.call.answer.approved).first().waitFor();
      expect(await tabs[2]!.locator('[data-question]').count()).toBe(0);
      expect(await notified(session)).toBe(1);
    },
  );

  test('a hidden tab closes its stream, and resumes at its position', { tags: ['long'] }, async () => {
    const page = tabs[2]!;
    const session = await begin('talk without end', 'auto');
    await page.goto(`${page.url().split('#')[0]}#/s/${session}`);
    await page.getByText('and on and on').first().waitFor();
    // Scroll up.
    await page.locator('.conversation-scroll').hover();
    const end = page.locator('.to-end');
    await expect.poll(() => page.mouse.wheel(0, -300).then(() => end.isVisible()), WAIT).toBe(true);
    const scrolled = () => page.evaluate("document.querySelector('.conversation-scroll').scrollTop");
    const place = await scrolled();
    await message(page).fill('half a thou');
    const length = () => page.evaluate('klaus.session().inFlight.messages[0]?.[1].text.length ?? 0') as Promise<number>;
    // No other tab is shown, so this one closes its stream only after some seconds.
    await page.evaluate('turn(true)');
    await expect.poll(() => streams('session'), WAIT).toBe(0);
    const before = await length();
    await page.evaluate('turn(false)');
    await expect.poll(length, WAIT).toBeGreaterThan(before);
    const text = (await page.evaluate('klaus.session().inFlight.messages[0][1].text.text')) as string;
    expect(text).toBe('and on '.repeat(100_000).slice(0, text.length));
    expect(await message(page).inputValue()).toBe('half a thou');
    expect(await scrolled()).toBe(place);

    // The run ends while the tab is hidden: its in-flight text is removed.
    await show(tabs[0]!);
    await it.client.cancel({ params: { id: session }, body: {} });
    await untilReleased(it.client, session);
    await show(page);
    await page.locator('.end').waitFor();
    expect(await page.evaluate('klaus.session().inFlight.messages.length')).toBe(0);
    expect(await page.evaluate('klaus.position().events - klaus.position().seq')).toBe(0);

    // A message that could not be sent is sent after reconnecting, also by a hidden tab.
    await show(tabs[0]!);
    await page.route('**/api/**', (route) => route.abort());
    await show(page);
    await expect.poll(() => page.evaluate('klaus.position().link'), WAIT).toBe('offline');
    await message(page).fill('Are you there?');
    await page.keyboard.press('Enter');
    await page.getByText(en.composer.held).waitFor();
    await show(tabs[0]!);
    await page.unroute('**/api/**');
    const prompts = async () => (await it.klaus.store.eventsOf(session, ['run.started'])).length;
    await expect.poll(prompts, WAIT).toBe(2);
  });

  test('another tab takes over the stream when its tab is closed, killed or frozen', { tags: ['long'] }, async () => {
    const asks: string[] = [];
    const ask = async (left: number): Promise<void> => {
      asks.push(await begin('write again', 'ask'));
      await expect.poll(counts, WAIT).toEqual(Array.from({ length: left }, () => asks.length));
      expect(await streams('list')).toBe(1);
    };
    const leave = (page: Page) => (tabs = tabs.filter((tab) => tab !== page));

    // The visible tab has the stream.
    const [closed, shown] = tabs.slice(-2) as [Page, Page];
    await show(shown);
    await show(closed);
    await closed.close();
    leave(closed);
    front = undefined;
    await ask(TABS - 1);

    const killed = tabs.at(-1)!;
    await show(killed);
    leave(killed);
    const crash = await context.newCDPSession(killed);
    const gone = new Promise((resolve) => killed.on('crash', resolve));
    void crash.send('Page.crash').catch(() => undefined);
    await gone;
    front = undefined;
    await ask(TABS - 2);

    const frozen = tabs.at(-1)!;
    await show(frozen);
    await frozen.evaluate('turn(true)');
    const debug = await context.newCDPSession(frozen);
    await debug.send('Page.setWebLifecycleState', { state: 'frozen' });
    front = undefined;
    leave(frozen);
    await ask(TABS - 3);
    await debug.send('Page.setWebLifecycleState', { state: 'active' });
    tabs.push(frozen);
    // Still hidden, it requests the missed changes.
    await expect.poll(async () => toCount(await frozen.title()), WAIT).toBe(asks.length);
    for (const session of asks) await expect.poll(() => notified(session), WAIT).toBe(1);

    // As in the back/forward cache, which keeps no connection.
    await show(tabs[1]!);
    await tabs[1]!.evaluate(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`);
    // The hidden tab closes its stream after it has sent its message.
    await expect.poll(() => streams('session'), WAIT).toBe(0);
    asks.push(await begin('write the last', 'ask'));
    await expect.poll(async () => toCount(await tabs[0]!.title()), WAIT).toBe(asks.length);
    expect(toCount(await tabs[1]!.title())).toBe(asks.length - 1);
    await tabs[1]!.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
    await expect.poll(async () => toCount(await tabs[1]!.title()), WAIT).toBe(asks.length);
    await expect.poll(() => streams('session'), WAIT).toBe(1);
  });

  test('older sessions stay in the list when its stream restarts', { tags: ['long'] }, async () => {
    const page = tabs[1]!;
    for (const tab of tabs.splice(2)) await tab.close();
    // No tab receives an event for each of them.
    for (const tab of tabs) await tab.goto('about:blank');
    const opened = await openMany(530);
    for (const tab of tabs) await tab.goto(it.server.url);
    front = page;
    const count = page.locator('.session-heading', { hasText: en.sessions.others }).locator('.number');
    const list = page.locator('.session-list');
    const older = page.getByRole('button', { name: en.sessions.older });
    const toEnd = () => page.evaluate("document.querySelector('.session-list').scrollTop = 1e9");
    await list.waitFor();
    const before = Number(await count.innerText());
    // A session outside of the list is opened by its address, with its actions.
    await page.goto(`${it.server.url}/#/s/${opened[1]!}`);
    await page.locator('.session-head .state-mark').waitFor();
    await page
      .locator('.session-head')
      .getByRole('button', { name: en.sessions.menu('') })
      .waitFor();
    await expect.poll(() => toEnd().then(() => older.isVisible()), WAIT).toBe(true);
    await older.click();
    const top = () => page.evaluate("document.querySelector('.session-list').scrollTop = 0");
    await expect.poll(() => top().then(async () => Number(await count.innerText())), WAIT).toBeGreaterThan(before + 20);
    const total = Number(await count.innerText());
    await show(tabs[0]!);
    // The oldest session is deleted while this tab is hidden.
    await it.client.deleteSession({ params: { id: opened[0]! } });
    await show(page);
    await expect.poll(async () => Number(await count.innerText()), WAIT).toBe(total - 1);
    expect(await page.locator('.session-row').count()).toBeLessThan(40);
    expect(complaints.flat()).toEqual([]);
  });

  test('in a browser without locks, each tab has its own list stream', { tags: ['long'] }, async () => {
    await Promise.all(tabs.map((tab) => tab.close()));
    tabs = [];
    front = undefined;
    context = await browser.newContext({ locale: 'en-GB' });
    await context.addInitScript(`${BEHIND_WINDOWS}; delete Navigator.prototype.locks;`);
    const { session } = await it.client.openSession({ body: { text: 'the last of all', mode: 'auto' } });
    for (let at = 0; at < 2; at++) {
      await front?.evaluate('turn(true)');
      front = await context.newPage();
      tabs.push(front);
      complaints.push(watch(front));
      if (at === 0) await front.goto(`${it.server.url}/#token=${it.server.token}`);
      await front.goto(`${it.server.url}/#/s/${session}`);
      await front.locator('.end').waitFor();
    }
    await expect.poll(() => streams('session'), WAIT).toBe(1);
    expect(await streams('list')).toBe(2);
    await it.client.changeSession({ params: { id: session }, body: { title: 'In both' } });
    for (const tab of tabs) await tab.locator('.session-row', { hasText: 'In both' }).waitFor();
    expect(complaints.flat()).toEqual([]);
  });
});
