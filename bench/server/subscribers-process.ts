// Subscribers of one stream of server-sent events, as bare sockets. Configured by one JSON object on the command line; sends
// `ready` when all have their answer, and a report when it is stopped by a message.
import { once } from 'node:events';
import { connect } from 'node:net';

export interface SubscribersOrder {
  host: string;
  port: number;
  path: string;
  headers: Record<string, string>;
  count: number;
  /** Only frames with an id above this are counted. */
  after: number;
  /** Of every so-manieth subscriber the delay of each event is taken. */
  sampleEvery: number;
}

export interface SubscribersReport {
  /** Events that each subscriber got. */
  counts: number[];
  /** Ids that did not follow the one before: lost, twice, or in another order. */
  outOfOrder: number;
  /** Milliseconds from the event's own time to its arrival, sorted. */
  delays: number[];
}

const ID = Buffer.from('\nid: ');
const AT = Buffer.from('"at":');
const order = JSON.parse(process.argv[2]!) as SubscribersOrder;
const report: SubscribersReport = { counts: [], outOfOrder: 0, delays: [] };

await Promise.all(Array.from({ length: order.count }, (_, index) => subscribe(index)));
process.send!('ready');
await once(process, 'message');
report.delays.sort((a, b) => a - b);
process.send!(report, () => process.exit(0));

async function subscribe(index: number): Promise<void> {
  const socket = connect(order.port, order.host);
  const headers = Object.entries({ host: `${order.host}:${order.port}`, ...order.headers });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`GET ${order.path} HTTP/1.1\r\n${lines}accept: text/event-stream\r\n\r\n`);
  const isSampled = index % order.sampleEvery === 0;
  report.counts[index] = 0;
  let last = order.after;
  let rest: Buffer = Buffer.alloc(0);
  const first = once(socket, 'data');
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let at = bytes.indexOf(ID);
    let done = 0;
    while (at >= 0) {
      const end = bytes.indexOf('\n\n', at + 1);
      if (end < 0) break;
      take(bytes, at + ID.length, end);
      done = end;
      at = bytes.indexOf(ID, end);
    }
    // What is left may hold the beginning of a frame.
    rest = at >= 0 ? bytes.subarray(at) : bytes.subarray(Math.max(done, bytes.length - ID.length));
  });
  socket.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  const [answer] = (await first) as [Buffer];
  if (!answer.toString('latin1', 0, 12).endsWith('200')) {
    process.stderr.write(`${answer.toString('utf8', 0, 300)}\n`);
    process.exit(1);
  }

  function take(bytes: Buffer, from: number, end: number): void {
    const id = Number.parseInt(bytes.toString('latin1', from, from + 12), 10);
    if (id <= order.after) return;
    if (id !== last + 1) report.outOfOrder++;
    last = id;
    report.counts[index]!++;
    if (!isSampled) return;
    const at = bytes.lastIndexOf(AT, end);
    report.delays.push(Date.now() - Number.parseInt(bytes.toString('latin1', at + AT.length, at + AT.length + 13), 10));
  }
}
