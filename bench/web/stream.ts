import { createClient, followSession } from '@klaus/server/client';
import type { Browser } from 'playwright-core';
import { openBrowser, WITHOUT_BROWSER } from '../../test/fixtures/browser.ts';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { receive, startProcess } from '../child.ts';
import type { ModelOrder, ModelReady } from '../model-process.ts';
import { buildBundle, toRunEnv } from '../program.ts';
import { serve, type Served } from '../server/server-process.ts';
import { READ_EVENTS, sendInPieces, startBareServer, toBarePage } from './bare-server.ts';
import { type Trace, trace } from './trace.ts';
import { openVisit } from './visit.ts';

/** Characters of one piece, and milliseconds between two: faster than any model writes. */
const PIECE = { size: 40, pace: 1 };

const SECTION = `## What the sum is made of

The sum is **made in two places**, and only one of them rounds; see \`src/sum.ts\`. A paragraph of ordinary length says what was found there, and why it matters to the reader of the bill at the end of the month.

- \`src/sum.ts\` adds first and rounds at the end,
- \`src/total.ts\` rounds each part.

\`\`\`ts
export function sum(values: readonly number[]): number {
  return Math.round(values.reduce((all, value) => all + value, 0) * 100) / 100;
}
\`\`\`

`;

/** A long answer as it is written: Markdown with lists and code, at the speed of the scripted model. */
export const stream: Benchmark = {
  name: 'stream',
  async run({ quick }) {
    const name = `answer of ${quick ? '100 KB' : '1 MB'} as it comes`;
    if (WITHOUT_BROWSER) return [{ name, skipped: WITHOUT_BROWSER }];
    const times = Math.ceil((quick ? 100_000 : 1_000_000) / SECTION.length);
    const text = SECTION.repeat(times);
    const steps = [
      { when: { tools: false }, reply: { text: 'A title' } },
      { pace: PIECE.pace, chunk: PIECE.size, reply: { text: { repeat: SECTION, times } } },
    ];
    const model = startProcess('model-process.ts', { script: { steps } } satisfies ModelOrder);
    try {
      const { url } = await receive<ModelReady>(model);
      using place = createTestHome();
      await using server = await serve(buildBundle(), place, await toRunEnv(place, url));
      await using browser = await openBrowser();
      const klaus = await traceAnswer(browser, server);
      const bare = await traceBare(browser, text);
      const longest: Row = { name: 'longest task until its run has ended', value: klaus.longestTask, unit: 'ms' };
      return [...toRows(name, klaus, bare), longest];
    } finally {
      model.disconnect();
    }
  },
};

function toRows(name: string, klaus: Trace, bare: Trace): Row[] {
  const what = 'a page that adds the same pieces to one text and scrolls to its end';
  const row = (words: string, read: (updates: readonly number[]) => number, most?: number): Row => ({
    name: words,
    value: read(klaus.updates),
    unit: 'ms',
    bare: { value: read(bare.updates), what },
    most,
  });
  return [
    row(`${name}: scripting of one update, mean`, mean, 8),
    row('the same, median', (updates) => percentile(updates, 0.5)),
    row('the same, 95th percentile', (updates) => percentile(updates, 0.95), 8),
    row('the same, 99th percentile', (updates) => percentile(updates, 0.99)),
  ];
}

async function traceAnswer(browser: Browser, server: Served): Promise<Trace> {
  const client = createClient({ baseUrl: server.url.origin, token: server.token });
  await using visit = await openVisit(browser, server);
  const { page } = visit;
  await page.goto(server.url.href);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  const { session } = await client.openSession({ body: { text: 'Describe all of it.' } });
  await page.goto(`${server.url.href}#/s/${session}`);
  await page.locator('.entry-model').first().waitFor();
  return await trace(browser, page, async () => {
    // Asked of the server: a look at the page again and again would be counted as its work.
    const quit = new AbortController();
    await followSession(client, {
      session,
      signal: quit.signal,
      onEvent: ({ type }) => void (type === 'run.finished' && quit.abort()),
    });
    await page.locator('.end').waitFor();
  });
}

const BARE_PAGE = `${READ_EVENTS}
const list = document.getElementById('list');
const words = list.appendChild(document.createTextNode(''));
let fresh = '';
const draw = () => {
  words.appendData(fresh);
  fresh = '';
  list.scrollTop = list.scrollHeight;
};
await readEvents('/events', ({ text }) => {
  if (fresh === '') requestAnimationFrame(draw);
  fresh += text;
});
document.title = 'read';`;

async function traceBare(browser: Browser, text: string): Promise<Trace> {
  await using bare = await startBareServer({
    '/': toBarePage(BARE_PAGE),
    '/events': (response) => sendInPieces(response, text, PIECE),
  });
  await using visit = await openVisit(browser);
  const { page } = visit;
  return await trace(browser, page, async () => {
    await page.goto(bare.url.href);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      if ((await page.title()) === 'read') return;
    }
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;
}
