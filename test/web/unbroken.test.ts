// Covers apps/web/state, apps/server/client: lost connections.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, Script } from '@klaus/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createConversation, createInFlightText, foldConversation, type Conversation } from '@klaus/core/conversation';
import { en } from '../../apps/web/text/en.ts';
import { toRows } from '../../apps/web/conversation/rows.ts';
import { toPlain } from '../../apps/web/log/to-plain.ts';
import { openBrowser, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { startServer } from '../fixtures/klaus.ts';
import { openPage, until } from '../fixtures/page.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { DROPS, startProxy, type Drop, type Proxy } from '../fixtures/proxy.ts';
import { startServeProcess, type ServeProcess } from '../fixtures/server.ts';
import { provideWebPage } from '../../scripts/provide-web.ts';
import { createChance } from '../undo/chance.ts';

/** Size of the run, and the seed of its accidents: `WEB_EVENTS=5000 WEB_SEED=7`. */
const EVENTS = Number(process.env['WEB_EVENTS'] ?? 600);
const SEED = Number(process.env['WEB_SEED'] ?? 1);

/** Number of kills of the server, and of lost connections. */
const KILLS = Math.min(10, EVENTS / 200);
const LOSSES = KILLS;

/** Calls per turn, which has about 65 events. */
const CALLS = 20;

/** Milliseconds, with time for a busy machine. */
const LIMIT = 400_000;

const WORDS = 'Reading on, file by file, and saying what is in it as it goes. '.repeat(6);

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { user: 'ask me', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: 'asked.txt', content: 'once\n' } }] },
    },
    { when: { user: 'ask me' }, reply: { text: 'Written.' } },
    { when: { user: 'talk without end' }, pace: 20, reply: { text: { repeat: 'and on ', times: 100_000 } } },
    { when: { user: 'That is enough' }, reply: { text: 'That was all.' } },
    // Repeated until the user sends `That is enough`.
    {
      when: { tools: true },
      delay: 600,
      pace: 2,
      reply: {
        text: `Turn {{turn}}. ${WORDS}`,
        calls: Array.from({ length: CALLS }, (_, at) => ({ name: 'read_file', input: { path: `part-${at % 5}.md` } })),
      },
    },
  ],
};

/** The name of the cancel button in all its states. */
const CANCEL = new RegExp(`^(${[en.composer.stop, ...Object.values(en.composer.stopping)].join('|')})`);

const FILES = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`part-${at}.md`, `# Part ${at}\n`]));
const SERVE = ['--approve', 'ask'];
const UNLIMITED = { tokens: 0, usd: 0, toolCalls: 0, turns: 0, minutes: 0 };

type Accident = 'kill' | Drop;

/** Accidents in random order, each with the seq at which it happens. */
function toAccidents(): { kind: Accident; at: number }[] {
  const chance = createChance(SEED);
  const kinds: Accident[] = [
    ...Array.from({ length: KILLS }, () => 'kill' as const),
    ...Array.from({ length: LOSSES }, (_, at) => DROPS[at % DROPS.length]!),
  ];
  for (let at = kinds.length - 1; at > 0; at--) {
    const other = chance.number(at + 1);
    [kinds[at], kinds[other]] = [kinds[other]!, kinds[at]!];
  }
  const space = EVENTS / kinds.length;
  return kinds.map((kind, at) => ({ kind, at: Math.floor(at * space + chance.number(Math.floor(space))) + 10 }));
}

interface Position {
  session: string;
  seq: number;
  events: number;
  link: string;
}

/** The state and the rendered rows of the page. */
interface Drawn {
  conversation: { seq: number; entries: { kind: string; id: string }[] };
  /** In-flight messages by id. */
  inFlight: { messages: [string, unknown][] };
  /** Index and name of every rendered row; '' for in-flight rows. */
  rows: { index: number; name: string }[];
}

const READ = `JSON.stringify({
  ...klaus.session(),
  rows: [...document.querySelectorAll('.conversation .rows-row')].map((row) => ({
    index: Number(row.dataset.index),
    name: row.querySelector('article:not([aria-busy])')?.getAttribute('aria-label') ?? '',
  })),
})`;

/** Everything that the test works with. */
interface Stage {
  page: Page;
  proxy: Proxy;
  session: string;
  /** Changes at every kill. */
  serving: ServeProcess;
  restart(): Promise<ServeProcess>;
}

const position = (page: Page) => page.evaluate('klaus.position()') as Promise<Position>;

const reach = (page: Page, seq: number) =>
  until(page, `klaus.position()?.seq >= ${seq} && klaus.position().link === 'online'`);

async function readLog({ client }: ServeProcess, id: string, upTo = Infinity): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const page = await client.log({ params: { id }, query: { after: events.length, limit: 5_000 } });
    events.push(...(page.events as Event[]));
    if (events.length >= page.last || events.length >= upTo) return events.slice(0, upTo);
  }
}

function fold(session: string, events: readonly Event[]): Conversation {
  const view = createConversation(session);
  for (const event of events) foldConversation(view, event);
  return view;
}

/** The state of the page equals a new fold of the log, without duplicates, and is rendered. */
async function expectUnbroken({ page, serving, session }: Stage, what: string): Promise<void> {
  const { rows, ...state } = JSON.parse((await page.evaluate(READ)) as string) as Drawn & { events: number };
  const { conversation } = state;
  const events = await readLog(serving, session, conversation.seq);
  expect(
    events.map(({ seq }) => seq),
    what,
  ).toEqual(events.map((_, at) => at + 1));
  expect(state.events, `${what}: folded events`).toBe(conversation.seq);
  const fresh = JSON.stringify(toPlain(fold(session, events)));
  // Compare the JSON first: comparing ten thousand objects takes seconds.
  if (JSON.stringify(conversation) !== fresh) expect(conversation, what).toEqual(JSON.parse(fresh));
  const ids = conversation.entries.map(({ kind, id }) => `${kind} ${id}`);
  expect(new Set(ids).size, `${what}: entries`).toBe(ids.length);
  const growing = state.inFlight.messages.map(([id]) => `model ${id}`);
  expect(growing.length, `${what}: in-flight messages`).toBeLessThanOrEqual(1);
  expect(ids, what).not.toEqual(expect.arrayContaining(growing.length > 0 ? growing : ['none']));
  expect(new Set(rows.map(({ index }) => index)).size, `${what}: rows`).toBe(rows.length);
  expect(rows.length).toBeGreaterThan(0);
  // Rendering follows the state by some milliseconds, in which calls may have become one row.
  const mismatch = () => findMismatch({ page, serving, session });
  await expect.poll(mismatch, { message: what, timeout: 30_000 }).toBeUndefined();
}

/** A rendered row that is not the one of the log at its place; undefined if there is none. */
async function findMismatch({ page, serving, session }: Omit<Stage, 'proxy' | 'restart'>): Promise<string | undefined> {
  const { rows, conversation } = JSON.parse((await page.evaluate(READ)) as string) as Drawn;
  const folded = fold(session, await readLog(serving, session, conversation.seq));
  const expected = toRows({ conversation: folded, inFlight: createInFlightText(), queue: [], isComplete: true });
  for (const { index, name } of rows) {
    const row = expected[index];
    // An in-flight row has no name.
    if (name === '' || row === undefined) continue;
    const isRight =
      row.kind === 'entry' && row.entry.kind === 'call' ? /^read_file part-\d\.md$/.test(name) : name === 'Klaus';
    if ((row.kind === 'answer' || (row.kind === 'entry' && row.entry.kind === 'call')) && !isRight)
      return `row ${index}, ${row.kind}: ${name}`;
  }
  return undefined;
}

/** Performs an accident. Resolves when the page has received later events. */
async function suffer(stage: Stage, kind: Accident, during: () => Promise<void>): Promise<void> {
  const { page, proxy } = stage;
  const before = await position(page);
  if (kind === 'kill') {
    const action = during();
    stage.serving.process.kill('SIGKILL');
    await action;
    await stage.serving.process.ended;
    await stage.restart();
  } else {
    const isOver = await proxy.drop(kind);
    await during();
    // A stall lasts until the server has later events.
    const { last } = await stage.serving.client.log({ params: { id: before.session }, query: { after: 0, limit: 1 } });
    for (let now = last; now <= last && kind === 'stall';) {
      now = (await stage.serving.client.log({ params: { id: before.session }, query: { after: 0, limit: 1 } })).last;
    }
    if (kind === 'refuse') await page.getByText(en.link.offline).waitFor();
    await isOver();
  }
  await reach(page, before.seq + 1);
  await page.getByText(en.link.offline).waitFor({ state: 'detached' });
}

describe.skipIf(WITHOUT_BROWSER !== undefined)(
  `the page over a bad connection${WITHOUT_BROWSER ? `, ${WITHOUT_BROWSER}` : ''}`,
  () => {
    let browser: Browser & AsyncDisposable;
    beforeAll(async () => {
      await provideWebPage();
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
    });

    test(`${KILLS} kills and ${LOSSES} lost connections in a run of ${EVENTS} events`, { timeout: LIMIT }, async () => {
      using place = createTestHome(FILES);
      await using model = await startServer(SCRIPT);
      let serving = await startServeProcess(place, model, { words: SERVE });
      const port = new URL(serving.url).port;
      await using proxy = await startProxy(Number(port));
      const context = await browser.newContext({ locale: 'en-GB' });
      const url = `http://127.0.0.1:${proxy.port}`;
      try {
        const asking = await serving.client.openSession({ body: { text: 'ask me' } });
        const { page, complaints } = await openPage(context, { url });
        await page.getByRole('heading', { name: en.home.title }).waitFor();
        const { session } = await serving.client.openSession({ body: { text: 'read on', limits: UNLIMITED } });
        await page.goto(`${url}/#/s/${session}`);
        await until(page, 'klaus.position()?.seq > 0');
        const stage: Stage = {
          page,
          proxy,
          session,
          serving,
          async restart() {
            serving = await startServeProcess(place, model, { words: [...SERVE, '--port', port] });
            return (stage.serving = serving);
          },
        };
        // A second tab during the same accidents.
        const second = await context.newPage();
        await second.goto(`${url}/#/s/${session}`);
        const sent = await playAccidents(stage, asking.session);
        for (const tab of [page, second]) await until(tab, 'klaus.session()?.conversation.run === undefined');
        await expectUnbroken(stage, 'at the end');
        await expectUnbroken({ ...stage, page: second }, 'at the end, in the second tab');
        await second.close();
        const events = await readLog(serving, session);
        expect(events.length).toBeGreaterThanOrEqual(EVENTS);
        for (const text of sent) expect(countSent(events, text), text).toBe(1);
        await answerByKeyboard(stage, { asking: asking.session, folder: place.workspace });
        await stopTwice(stage);
        expect(complaints).toEqual([]);
      } finally {
        await context.close();
        serving.process.kill('SIGKILL');
        await serving.process.ended;
      }
    });
  },
);

/** The number of messages of the user with this text. */
function countSent(events: readonly Event[], text: string): number {
  const isSent = (event: Event) =>
    event.type === 'message.added' && event.message.parts.some((part) => part.type === 'text' && part.text === text);
  return events.filter(isSent).length;
}

/** Performs all accidents. Returns the messages that were sent during some of them. */
async function playAccidents(stage: Stage, asking: string): Promise<string[]> {
  const { page } = stage;
  const field = page.getByRole('textbox', { name: en.composer.label });
  const sent: string[] = [];
  let draft = 'A draft that is not sent';
  await field.fill(draft);
  let kills = 0;
  for (const [number, { kind, at }] of toAccidents().entries()) {
    await reach(page, at);
    const what = `accident ${number + 1}, ${kind}, at ${(await position(page)).seq}`;
    // At every third kill, and every third loss, a message is being sent.
    const isSending = (kind === 'kill' ? kills++ : number) % 3 === 2;
    await suffer(stage, kind, async () => {
      if (isSending) await field.press('Enter');
    });
    await expectUnbroken(stage, what);
    if (isSending) {
      await until(page, `document.querySelector('.composer-field').value === ''`);
      sent.push(draft);
      draft = `A draft after ${what}`;
      await field.fill(draft);
    }
    expect(await field.inputValue(), what).toBe(draft);
    const { approvals } = await stage.serving.client.approvals({ query: { session: asking } });
    expect(approvals.length, what).toBe(1);
    await expect.poll(() => page.title(), { message: what, timeout: 30_000 }).toMatch(/^\(1\) /);
  }
  expect(sent.length).toBeGreaterThan(2);
  await reach(page, EVENTS);
  await field.fill('That is enough.');
  await field.press('Enter');
  return sent;
}

/** Answers the open question in the page by keyboard. */
async function answerByKeyboard({ page, serving }: Stage, given: { asking: string; folder: string }): Promise<void> {
  const file = join(given.folder, 'asked.txt');
  expect(existsSync(file)).toBe(false);
  await page.locator('h1').click();
  await page.keyboard.press('q');
  await page.waitForURL(`**/#/s/${given.asking}`);
  const approve = page.getByRole('button', { name: en.approval.approve, exact: true });
  await approve.waitFor();
  for (let at = 0; at < 100 && !(await approve.evaluate((it) => it.matches(':focus'))); at++) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.locator('.end-good').waitFor();
  expect(readFileSync(file, 'utf8')).toBe('once\n');
  const events = await readLog(serving, given.asking);
  for (const type of ['approval.answered', 'tool.started', 'tool.finished']) {
    expect(events.filter((event) => event.type === type).length, type).toBe(1);
  }
}

/** Cancels a run in the page, and another one while offline, which ends after reconnecting. */
async function stopTwice(stage: Stage): Promise<void> {
  const { page, proxy, serving, session } = stage;
  const field = page.getByRole('textbox', { name: en.composer.label });
  await page.goto(`http://127.0.0.1:${proxy.port}/#/s/${session}`);
  for (const isOffline of [false, true]) {
    await field.fill('talk without end');
    await field.press('Enter');
    // The text of the previous run may still be shown.
    await until(page, 'klaus.session().conversation.run !== undefined');
    await page.getByText('and on and on').first().waitFor();
    const ends = (await readLog(serving, session)).filter(({ type }) => type === 'run.finished').length;
    const isOver = isOffline ? await proxy.drop('refuse') : undefined;
    if (isOffline) await page.getByText(en.link.offline).waitFor();
    await page.keyboard.press('Control+.');
    if (isOffline) {
      await page.getByRole('button', { name: en.composer.stopping.waiting }).waitFor();
      expect((await readLog(serving, session)).filter(({ type }) => type === 'run.finished').length).toBe(ends);
    }
    await isOver?.();
    await page.getByRole('button', { name: CANCEL }).waitFor({ state: 'detached' });
    await expectUnbroken(stage, isOffline ? 'stopped while offline' : 'stopped');
    const events = await readLog(serving, session);
    const finished = events.filter((event) => event.type === 'run.finished');
    expect(finished.length).toBe(ends + 1);
    expect(finished.at(-1)).toMatchObject({ outcome: 'cancelled' });
  }
}
