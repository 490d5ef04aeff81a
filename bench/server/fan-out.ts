import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createTestHome, type TestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { receive, startProcess } from '../child.ts';
import { toOpening, writeLog } from '../drafts.ts';
import { buildBundle } from '../program.ts';
import { readCpuOf, readLine, serve } from './server-process.ts';
import type { SubscribersOrder, SubscribersReport } from './subscribers-process.ts';
import type { WriterOrder } from './writer-process.ts';

const SESSION = '01KE0000000000000000BENCH1';
/** So many processes share the subscribers. */
const CLIENTS = 2;

/**
 * Many followers of one session that another process writes, beside a program that does nothing but write each line to
 * every open answer. Subscribers and writer are processes of their own, the same for both.
 */
export const fanOut: Benchmark = {
  name: 'fan-out',
  async run({ quick }) {
    const size = quick
      ? { subscribers: 100, perSecond: 50, seconds: 5 }
      : { subscribers: 1_000, perSecond: 200, seconds: 30 };
    using place = createTestHome();
    const klaus = await measureKlaus(place, size);
    const bare = await measureBare(size);
    const what = `a bare fan-out over node:http, ${size.subscribers} subscribers, ${size.perSecond} events/s for ${size.seconds} s`;
    const rows: Row[] = [
      { name: 'CPU of the server', value: klaus.cpu, unit: 'ms', bare: { value: bare.cpu, what }, most: { times: 2 } },
      {
        name: 'delay to the subscriber, 99th percentile',
        value: klaus.p99,
        unit: 'ms',
        bare: { value: bare.p99, what },
        most: { times: 2 },
      },
      { name: 'events lost, twice or out of order', value: klaus.lost, unit: 'events', most: 0 },
    ];
    if (bare.lost > 0) throw new Error(`the bare server lost ${bare.lost} events: the bench itself is wrong`);
    return rows;
  },
};

interface Size {
  subscribers: number;
  perSecond: number;
  seconds: number;
}

async function measureKlaus(place: TestHome, size: Size) {
  const after = await writeLog(place.home, SESSION, toOpening(place.workspace));
  await using server = await serve(buildBundle(), place, {});
  const { hostname, port } = server.url;
  const address = { host: hostname, port: Number(port), path: `/api/sessions/${SESSION}/events?after=${after}` };
  return await measure({
    pid: server.pid,
    size,
    order: { ...address, headers: server.headers, count: size.subscribers / CLIENTS, after, sampleEvery: 20 },
    writer: startPart('writer-process.ts', { home: place.home, session: SESSION, ...size } satisfies WriterOrder),
  });
}

async function measureBare(size: Size) {
  const bare = startPart('bare-process.ts', {});
  const port = Number(await readLine(bare));
  const writer = startPart('writer-process.ts', { session: SESSION, ...size } satisfies WriterOrder);
  writer.stdout!.pipe(bare.stdin!, { end: false });
  const order = { host: '127.0.0.1', port, path: '/', headers: {}, count: size.subscribers / CLIENTS };
  try {
    return await measure({ pid: bare.pid!, size, order: { ...order, after: 0, sampleEvery: 20 }, writer });
  } finally {
    bare.stdin!.end();
  }
}

interface Measured {
  /** The server. */
  pid: number;
  size: Size;
  order: SubscribersOrder;
  /** Ready to begin at a line, and done at its end. */
  writer: ChildProcess;
}

/**
 * @returns Milliseconds of CPU of the server, the 99th percentile of the delay in milliseconds, and the events that should
 *   have arrived, over all subscribers, and did not.
 */
async function measure({ pid, size, order, writer }: Measured) {
  const clients = Array.from({ length: CLIENTS }, () => startProcess('server/subscribers-process.ts', order));
  // Each sends a message when all of its subscribers have their answer.
  await Promise.all(clients.map((client) => receive(client)));
  const before = readCpuOf(pid);
  const ended = once(writer, 'exit');
  writer.stdin!.write('begin\n');
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`the writer ended with ${code}`);
  const expected = size.perSecond * size.seconds;
  await settled(pid);
  const cpu = readCpuOf(pid) - before;
  const reports = clients.map((client) => receive<SubscribersReport>(client));
  for (const client of clients) client.send('stop');
  const all = await Promise.all(reports);
  const delays = all.flatMap((one) => one.delays).sort((a, b) => a - b);
  const missing = all.flatMap((one) => one.counts).reduce((sum, count) => sum + Math.abs(expected - count), 0);
  const outOfOrder = all.reduce((sum, one) => sum + one.outOfOrder, 0);
  return { cpu, p99: delays[Math.floor(delays.length * 0.99)] ?? Number.NaN, lost: missing + outOfOrder };
}

/** Until the server has nothing more to send: it uses no CPU for a second. */
async function settled(pid: number): Promise<void> {
  for (let last = -1, now = readCpuOf(pid); now - last > 20; last = now, now = readCpuOf(pid)) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

function startPart(file: string, order: unknown): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, file), JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
