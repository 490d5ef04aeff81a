import { createClient, followSession } from '@klaus/server/client';
import type { Browser, Locator } from 'playwright-core';
import { en } from '../../apps/web/text/en.ts';
import { openBrowser, WITHOUT_BROWSER } from '../../test/fixtures/browser.ts';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { median } from '../measure.ts';
import { buildBundle, openModelServer, toRunEnv } from '../program.ts';
import { serve, type Served } from '../server/server-process.ts';
import { startBareServer, toBarePage } from './bare-server.ts';
import { openVisit, type Visit } from './visit.ts';

const LINES = 50_000;
/** Looks, 50 ms each, after which nothing will come any more. */
const GIVEN_UP_AFTER = 1_000;

/** A question about a change of 50,000 lines, from the click that asks to see it to its first lines. */
export const diff: Benchmark = {
  name: 'diff',
  async run({ quick }) {
    const name = `first hunk of a diff of ${LINES.toLocaleString('en')} lines`;
    if (WITHOUT_BROWSER) return [{ name, skipped: WITHOUT_BROWSER }];
    const content = Array.from({ length: LINES }, (_, at) => `item(${at});\n`).join('');
    await using model = await openModelServer({
      steps: [
        { when: { tools: false }, reply: { text: 'A title' } },
        { chunk: 10_000, reply: { calls: [{ name: 'write_file', input: { path: 'values.js', content } }] } },
      ],
    });
    using place = createTestHome();
    await using server = await serve(buildBundle(), place, {
      ...(await toRunEnv(place, model.url)),
      AGENT_APPROVE: 'ask',
    });
    const { session, approval } = await ask(server);
    await using bare = await startBareServer({
      '/': toBarePage(BARE_PAGE),
      '/approval': (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(approval),
    });
    await using browser = await openBrowser();
    const measures = { klaus: [] as Shown[], bare: [] as Shown[] };
    for (let round = 0; round < (quick ? 3 : 5); round++) {
      measures.klaus.push(await measureReview(browser, server, session));
      measures.bare.push(await measureBare(browser, bare.url));
    }
    const what = 'a page that reads the same answer and shows its first lines';
    const row = (words: string, key: keyof Shown, most?: number): Row => ({
      name: words,
      value: median(measures.klaus.map((it) => it[key])),
      unit: 'ms',
      bare: { value: median(measures.bare.map((it) => it[key])), what },
      most,
    });
    return [
      row(`${name}, after the click`, 'wall', 300),
      row('CPU time of the page during this time', 'task'),
      row('scripting during this time', 'script'),
    ];
  },
};

/** Milliseconds from the click to the picture with the first lines, and what the main thread did during this time. */
interface Shown {
  wall: number;
  task: number;
  script: number;
}

/** @returns The session that waits, and its approval as the server lists it. */
async function ask(server: Served): Promise<{ session: string; approval: string }> {
  const client = createClient({ baseUrl: server.url.origin, token: server.token });
  const { session } = await client.openSession({ body: { text: 'Write them all.', mode: 'ask' } });
  const quit = new AbortController();
  let id: string | undefined;
  await followSession(client, {
    session,
    signal: quit.signal,
    onEvent(event) {
      if (event.type === 'approval.asked') id = event.approval;
      if (event.type === 'approval.asked' || event.type === 'run.finished') quit.abort();
    },
  });
  if (id === undefined) throw new Error('the run ended without a question');
  const answer = await fetch(new URL(`/api/approvals/${id}`, server.url), { headers: server.headers });
  return { session, approval: await answer.text() };
}

/** In a page: the time from a click to the picture that has an element in it. */
const watch = (selector: string) => `addEventListener('click', ({ timeStamp }) => {
  const look = new MutationObserver(() => {
    if (!document.querySelector('${selector}')) return;
    look.disconnect();
    requestAnimationFrame(() => setTimeout(() => { globalThis.shown = performance.now() - timeStamp; }));
  });
  look.observe(document, { childList: true, subtree: true });
}, true);`;

async function measureReview(browser: Browser, server: Served, session: string): Promise<Shown> {
  await using visit = await openVisit(browser, server);
  const { page } = visit;
  await page.addInitScript(watch('.review .rows .diff-line'));
  await page.goto(`${server.url.href}#/s/${session}`);
  return await measureClick(visit, page.getByRole('button', { name: en.approval.review }));
}

async function measureBare(browser: Browser, url: URL): Promise<Shown> {
  await using visit = await openVisit(browser);
  const { page } = visit;
  await page.addInitScript(watch('.line'));
  await page.goto(url.href);
  return await measureClick(visit, page.locator('#field'));
}

async function measureClick(visit: Visit, button: Locator): Promise<Shown> {
  const { page } = visit;
  await button.waitFor();
  // What the page still does by itself is not the click's.
  await page.waitForTimeout(500);
  const before = await visit.spent();
  await button.click();
  let wall: number | undefined;
  for (let at = 0; wall === undefined; at++) {
    if (at > GIVEN_UP_AFTER) throw new Error('no line of the change is shown');
    await page.waitForTimeout(50);
    wall = (await page.evaluate('globalThis.shown')) as number | undefined;
  }
  const after = await visit.spent();
  return { wall, task: after.task - before.task, script: after.script - before.script };
}

const BARE_PAGE = `const list = document.getElementById('list');
document.getElementById('field').addEventListener('click', async () => {
  const { hunks } = await (await fetch('/approval')).json();
  for (const text of hunks[0].lines.slice(0, 40)) {
    list.append(Object.assign(document.createElement('div'), { className: 'line', textContent: text }));
  }
});`;
