import { openBrowser, WITHOUT_BROWSER } from '../../test/fixtures/browser.ts';
import { createTestHome, type TestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark } from '../benchmark.ts';
import { toOpening, toTurnDrafts, writeLog } from '../drafts.ts';
import { buildBundle } from '../program.ts';
import { openVisit } from '../web/visit.ts';
import { readMemoryOf, serve, type Served } from './server-process.ts';
import { measureIdleness, type Idleness } from './wakes.ts';

const SESSIONS = 100;
const TURNS = 20;
/** Memory and wakes of a server that follows sessions in which nothing happens: each has a reader of its own. */
export const idle: Benchmark = {
  name: 'idle',
  async run() {
    using place = createTestHome();
    const sessions = await makeSessions(place);
    await using server = await serve(buildBundle(), place, {});
    // One of them first: what any session at all needs is not what the hundredth costs.
    const readers = [await server.follow(sessions[0]!)];
    const alone = await measureIdleness(server.pid);
    const shown = await withPage(server, sessions[0]!);
    const before = readMemoryOf(server.pid);
    for (const session of sessions.slice(1)) readers.push(await server.follow(session));
    const after = readMemoryOf(server.pid);
    for (const reader of readers) reader.destroy();
    return [
      {
        name: 'wakes of an idle server, all threads, one session followed',
        most: 5,
        value: alone.wakes,
        unit: 'wakes/s',
      },
      { name: 'CPU of it, of one core', most: 0.2, value: alone.cpu, unit: '%' },
      ...(shown === undefined
        ? [{ name: 'the same with a page open', skipped: WITHOUT_BROWSER! }]
        : [
            { name: 'wakes with a page open', most: 5, value: shown.wakes, unit: 'wakes/s' as const },
            { name: 'CPU with a page open, of one core', most: 0.2, value: shown.cpu, unit: '%' as const },
          ]),
      {
        name: `memory that ${SESSIONS} idle sessions add`,
        most: 30,
        value: after - before,
        unit: 'MB',
        bare: { value: before, what: 'the server with one session' },
      },
    ];
  },
};

/** The server while a browser shows a session; undefined where there is no browser. */
async function withPage(server: Served, session: string): Promise<Idleness | undefined> {
  if (WITHOUT_BROWSER !== undefined) return undefined;
  await using browser = await openBrowser();
  await using visit = await openVisit(browser, server);
  await visit.page.goto(`${server.url.href}#/s/${session}`);
  await visit.page.locator('.composer-field').waitFor();
  return await measureIdleness(server.pid);
}

async function makeSessions(place: TestHome): Promise<string[]> {
  const ids = Array.from({ length: SESSIONS }, (_, at) => `01KE0000000000000000BEN${String(at).padStart(3, '0')}`);
  const turns = Array.from({ length: TURNS }, (_, turn) => toTurnDrafts(turn + 1)).flat();
  for (const id of ids) await writeLog(place.home, id, [...toOpening(place.workspace), ...turns]);
  return ids;
}
