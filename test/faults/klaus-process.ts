// A Klaus in a process of its own that ends itself with SIGKILL at a chosen moment, or not at all.
// Told by one JSON object on the command line; prints one JSON object when it comes to an end by itself.
import { existsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { builtinTools } from '@klaus/adapters/tools';
import type { Tool } from '@klaus/core/agent';
import { createKlaus } from '@klaus/sdk';

export interface Order {
  home: string;
  workspace: string;
  /** Where the scripted model is served. */
  url: string;
  /** Sent as a prompt when given; otherwise the session only goes on. */
  prompt?: string;
  session?: string;
  onAsk?: 'deny' | 'wait';
  mode?: 'auto' | 'ask' | 'edits';
  /** Stay when the run is parked, and go on as soon as an answer comes. */
  stay?: boolean;
  /** Stay alive after the end, doing nothing. */
  linger?: boolean;
  /** Say each event's seq on standard output, as a door shows it. */
  show?: boolean;
  /** Default: as the machine has it. */
  sandbox?: 'host';
  /** Who answers questions: a user who approves all of them. Default: nobody. */
  user?: 'approves';
  /** Die as soon as the event of this seq is durable, or this many milliseconds later, whatever is going on then. */
  dieAfterSeq?: number;
  dieDelayMs?: number;
  /** Die when this tool has done its work and before its result is known to anybody. */
  dieAfterEffect?: string;
  /** Die as soon as the first background process has this file. */
  dieAtProcessFile?: string;
  /** Die as soon as the checkpoint's ref is there. */
  dieAtCheckpoint?: boolean;
}

const order = JSON.parse(process.argv[2]!) as Order;
const die = (): boolean => process.kill(process.pid, 'SIGKILL');

const dieLater = order.dieDelayMs === undefined ? undefined : createExecutioner(order.dieDelayMs);

const tools = builtinTools.map((tool): Tool => {
  if (tool.name !== order.dieAfterEffect) return tool;
  return {
    ...tool,
    async run(input, context, intent) {
      const output = await tool.run(input, context, intent);
      die();
      return output;
    },
  };
});

await using klaus = await createKlaus({
  home: order.home,
  cwd: order.workspace,
  env: { PATH: process.env['PATH'] },
  builtinTools: false,
  tools,
  settings: {
    model: 'scripted/test',
    'retry.baseMs': 5,
    ...(order.sandbox ? { 'sandbox.driver': order.sandbox } : {}),
  },
  scripted: async () => ({ url: order.url, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } }),
});
const session =
  order.session === undefined
    ? await klaus.open({ ...(order.mode ? { mode: order.mode } : {}) })
    : await klaus.session(order.session);
session.subscribe(0, (event) => {
  if (order.show) writeSync(1, `${JSON.stringify({ shown: event.seq })}\n`);
  if (event.seq === order.dieAfterSeq) (dieLater ?? die)();
});
if (order.dieAtProcessFile !== undefined) {
  const file = join(order.home, 'processes', session.id, 'p1', order.dieAtProcessFile);
  setInterval(() => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0 && die(), 1).unref();
}
if (order.dieAtCheckpoint) {
  const ref = join(order.workspace, '.git/refs/klaus/checkpoints', session.id);
  setInterval(() => existsSync(ref) && die(), 1).unref();
}
process.stdout.write(`${JSON.stringify({ session: session.id })}\n`);
if (order.prompt !== undefined) await session.prompt(order.prompt, { onAsk: order.onAsk ?? 'deny' });
let result = await session.advance();
while (order.user === 'approves' && result.state === 'parked') {
  for (const { approval } of result.approvals) await klaus.answer(approval, 'approved', { by: 'test' });
  result = await session.advance();
}
if (order.stay && result.state === 'parked') {
  process.stdout.write(`${JSON.stringify({ parked: result.approvals.map((asked) => asked.approval) })}\n`);
  const finished = new Promise<void>((resolve) => {
    session.subscribe(0, (event) => event.type === 'run.finished' && resolve());
  });
  const answered = new Promise<void>((resolve) => {
    klaus.store.onSend(session.id, resolve);
    session.subscribe(0, (event) => event.type === 'approval.answered' && resolve());
  });
  const alive = setInterval(() => {}, 1_000);
  await answered;
  result = await session.advance();
  await finished;
  clearInterval(alive);
}
process.stdout.write(`${JSON.stringify({ result })}\n`);
if (order.linger) await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1));

/** Kills this process a while after it is called, from a thread of its own: a busy main thread delays nothing. */
function createExecutioner(delayMs: number): () => void {
  const called = new Int32Array(new SharedArrayBuffer(4));
  const code = `
    const { called, delayMs, pid } = require('node:worker_threads').workerData;
    Atomics.wait(called, 0, 0);
    Atomics.wait(called, 0, 1, delayMs);
    process.kill(pid, 'SIGKILL');
  `;
  new Worker(code, { eval: true, workerData: { called, delayMs, pid: process.pid } }).unref();
  return () => {
    Atomics.store(called, 0, 1);
    Atomics.notify(called, 0);
  };
}
