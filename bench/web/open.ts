import type { Browser } from 'playwright-core';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../../test/fixtures/browser.ts';
import { createTestHome, type TestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { median } from '../measure.ts';
import { buildBundle } from '../program.ts';
import { serve, type Served } from '../server/server-process.ts';
import { READ_EVENTS, startBareServer, toBarePage } from './bare-server.ts';
import { addLongLog, MESSAGES, toLastWords } from './long-log.ts';
import { type Trace, trace } from './trace.ts';
import { openVisit, type Visit } from './visit.ts';

const SESSION = '01KE0000000000000000BENCH3';
/** Events at the end of the log of which the bare page shows the words. */
const BARE_TAIL = 200;

/** A session of 10,000 messages: opened, read from the end to the beginning and back, and left. */
export const open: Benchmark = {
  name: 'open',
  async run({ quick }) {
    const exchanges = quick ? 200 : 1_000;
    const name = `session of ${(exchanges * MESSAGES).toLocaleString('en')} messages`;
    if (WITHOUT_BROWSER) return [{ name, skipped: WITHOUT_BROWSER }];
    using place = createTestHome();
    await addLongLog(place, SESSION, { from: 0, count: exchanges });
    await using server = await serve(buildBundle(), place, {});
    const log = await readStream(server);
    await using bare = await startBareServer({
      '/': toBarePage(BARE_PAGE),
      '/events': (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(log),
    });
    await using browser = await openBrowser();
    const last = toLastWords(exchanges - 1);
    const measures = { interactive: [] as Trace[], complete: [] as Trace[], bare: [] as Trace[] };
    for (let round = 0; round < (quick ? 3 : 5); round++) {
      measures.interactive.push(await traceOpening(browser, server, { last, isComplete: false }));
      measures.complete.push(await traceOpening(browser, server, { last, isComplete: true }));
      measures.bare.push(await traceBare(browser, bare.url, last));
    }
    const read = (traces: readonly Trace[], key: 'script' | 'longestTask') => median(traces.map((it) => it[key]));
    const what = 'a page that parses each event of the same log and shows the words of the last';
    const bareScript = { value: read(measures.bare, 'script'), what };
    return [
      {
        name: `${name}: scripting until interactive`,
        most: 500,
        value: read(measures.interactive, 'script'),
        unit: 'ms',
        bare: bareScript,
      },
      {
        name: 'scripting until all of its log is folded',
        value: read(measures.complete, 'script'),
        unit: 'ms',
        bare: bareScript,
      },
      { name: 'longest task during this time', value: read(measures.complete, 'longestTask'), unit: 'ms' },
      ...(await scroll(browser, server, last)),
      ...(await leave(browser, server, last)),
      ...(await stay(browser, server, { place, exchanges })),
    ];
  },
};

async function readStream({ url, headers }: Served): Promise<string> {
  const quit = new AbortController();
  const path = `/api/sessions/${SESSION}/events?after=0`;
  const answer = await fetch(new URL(path, url), { headers, signal: quit.signal });
  let text = '';
  for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes('event: ready', text.length - piece.length - 20)) break;
  }
  quit.abort();
  return text;
}

/** The last message is shown, and typed text is in the message field. With `isComplete`, the complete log is loaded. */
async function traceOpening(
  browser: Browser,
  server: Served,
  { last, isComplete }: { last: string; isComplete: boolean },
): Promise<Trace> {
  await using visit = await openVisit(browser, server);
  const { page } = visit;
  return await trace(browser, page, async () => {
    await page.goto(`${server.url.href}#/s/${SESSION}`);
    await page.getByText(last).waitFor();
    await page.keyboard.press('i');
    await page.keyboard.type('x');
    const typed = await page.locator('.composer-field').inputValue();
    if (typed !== 'x') throw new Error(`a key that was pressed did nothing: ${JSON.stringify(typed)}`);
    if (isComplete) await waitForLog(visit);
  });
}

/** All of the log is folded: the totals are shown. */
async function waitForLog({ page }: Visit): Promise<void> {
  await page.locator('footer.status:not([aria-busy])').waitFor();
}

async function traceBare(browser: Browser, url: URL, last: string): Promise<Trace> {
  await using visit = await openVisit(browser);
  return await trace(browser, visit.page, async () => {
    await visit.page.goto(url.href);
    await visit.page.getByText(last).waitFor();
  });
}

const BARE_PAGE = `${READ_EVENTS}
const events = [];
await readEvents('/events', (event) => events.push(event));
const words = events.slice(-${BARE_TAIL}).flatMap(({ type, message }) =>
  type === 'message.added' ? message.parts.flatMap((part) => part.text ?? []) : []);
const list = document.getElementById('list');
list.textContent = words.join('\\n\\n');
list.scrollTop = list.scrollHeight;`;

/** Pixels that one turn of the wheel moves: a brisk hand. */
const STEP = 1_500;

/** From the end to the beginning and back by the wheel. */
async function scroll(browser: Browser, server: Served, last: string): Promise<Row[]> {
  await using visit = await openVisit(browser, server);
  const { page } = visit;
  await page.goto(`${server.url.href}#/s/${SESSION}`);
  await page.getByText(last).waitFor();
  await waitForLog(visit);
  await page.locator('.conversation-scroll').hover();
  let nodes = 0;
  const count = async () => {
    const now = (await page.evaluate('document.querySelectorAll(".conversation-scroll *").length')) as number;
    nodes = Math.max(nodes, now);
  };
  const turn = async (by: number, isThere: string) => {
    for (let at = 0; !(await page.evaluate(isThere)); at++) {
      await page.mouse.wheel(0, by);
      if (at % 10 === 0) await count();
    }
  };
  const element = 'document.querySelector(".conversation-scroll")';
  const traced = await trace(browser, page, async () => {
    await turn(-STEP, `${element}.scrollTop === 0`);
    await page.locator('.said', { hasText: 'Step 0:' }).waitFor();
    await turn(STEP, `${element}.scrollTop + ${element}.clientHeight > ${element}.scrollHeight - 4`);
    await page.getByText(last).waitFor();
  });
  return [
    { name: 'DOM nodes in its list while scrolling', value: nodes, unit: 'nodes', most: 400 },
    { name: 'longest task while scrolling, CPU time', value: traced.longestTask, unit: 'ms', most: 100 },
    { name: 'the same on the wall clock', value: traced.longestTaskOnWall, unit: 'ms' },
  ];
}

/** What the page holds of the session, and what is left of it when it is left. */
async function leave(browser: Browser, server: Served, last: string): Promise<Row[]> {
  await using visit = await openVisit(browser, server);
  const { page } = visit;
  await page.goto(`${server.url.href}#/`);
  await page.getByRole('heading', { name: en.home.title }).waitFor();
  const readings: number[] = [];
  for (let round = 0; round < 4; round++) {
    await page.goto(`${server.url.href}#/s/${SESSION}`);
    await page.getByText(last).waitFor();
    await waitForLog(visit);
    if (round > 0) readings.push(await visit.heap());
    await page.goto(`${server.url.href}#/`);
    await page.getByRole('heading', { name: en.home.title }).waitFor();
    readings.push(await visit.heap());
  }
  // The first visit loads code; from then on each costs the same.
  const [empty, , , , , full, left] = readings as [number, number, number, number, number, number, number];
  return [
    { name: 'JavaScript heap that the session takes', value: full - empty, unit: 'MB' },
    {
      name: 'heap when it has been left, after three visits',
      value: left,
      unit: 'MB',
      bare: { value: empty, what: 'the same after one' },
    },
  ];
}

/** Prompts that come while the page is open: 5,000 events. */
const MORE = 143;

/** What a page holds more when as many events have come one after the other as it holds of a log that was there. */
async function stay(
  browser: Browser,
  server: Served,
  { place, exchanges }: { place: TestHome; exchanges: number },
): Promise<Row[]> {
  await using visit = await openVisit(browser, server);
  const { page } = visit;
  await page.goto(`${server.url.href}#/`);
  await page.getByRole('heading', { name: en.home.title }).waitFor();
  const empty = await visit.heap();
  await page.goto(`${server.url.href}#/s/${SESSION}`);
  await page.getByText(toLastWords(exchanges - 1)).waitFor();
  await waitForLog(visit);
  const before = await visit.heap();
  await addLongLog(place, SESSION, { from: exchanges, count: MORE });
  await page.getByText(toLastWords(exchanges + MORE - 1)).waitFor();
  const after = await visit.heap();
  return [
    {
      name: 'heap that 5,000 more events add to an open page',
      value: after - before,
      unit: 'MB',
      bare: { value: ((before - empty) / exchanges) * MORE, what: 'the share of as many in a log that was opened' },
    },
  ];
}
