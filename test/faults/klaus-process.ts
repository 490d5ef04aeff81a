// A Klaus process that kills itself with SIGKILL at a given moment, or not at all.
// Gets its orders as a JSON object on the command line, and prints a JSON object when it exits by itself.
import { existsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { builtinTools } from '@klaus/adapters/tools';
import type { Tool } from '@klaus/core/agent';
import { createKlaus, type KlausOptions } from '@klaus/sdk';

export interface Order {
  home: string;
  workspace: string;
  /** URL of the scripted model. */
  url: string;
  /** Sent as a prompt. Default: the session is only resumed. */
  prompt?: string;
  /** A command of the user. */
  shell?: string;
  session?: string;
  onAsk?: 'deny' | 'wait';
  mode?: 'auto' | 'ask' | 'edits';
  /** Stay alive when the run is parked, and continue when an answer comes. */
  stay?: boolean;
  /** Stay alive after the end, doing nothing. */
  linger?: boolean;
  /** Print the seq of each event when it is shown. */
  show?: boolean;
  /** Default: that of the machine. */
  sandbox?: 'host';
  /** Reviewers of calls, whose model is at `url` too. */
  reviewers?: string[];
  /** Approves all questions as a user. Default: questions are not answered. */
  user?: 'approves';
  /** Kill the process as soon as the event with this seq is durable, or this many milliseconds later. */
  dieAfterSeq?: number;
  dieDelayMs?: number;
  /** Kill the process when this tool has had its effect and before its result is reported. */
  dieAfterEffect?: string;
  /** Kill the process as soon as the first background process has this file. */
  dieAtProcessFile?: string;
  /** Kill the process as soon as the checkpoint's ref exists. */
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
  env: {
    PATH: process.env['PATH'],
    ...(order.reviewers ? { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: order.url } : {}),
  },
  builtinTools: false,
  tools,
  settings: {
    model: 'scripted/test',
    'retry.baseMs': 5,
    ...(order.reviewers ? { 'reviewers.use': order.reviewers } : {}),
    ...(order.sandbox ? { 'sandbox.driver': order.sandbox } : {}),
  } as KlausOptions['settings'],
  scripted: async () => ({ url: order.url, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } }),
});
const session =
  order.session === undefined ? await klaus.open({ mode: order.mode }) : await klaus.session(order.session);
session.subscribe(0, (event) => {
  if (order.show) writeSync(1, `${JSON.stringify({ shown: event.seq })}\n`);
  if (event.seq === order.dieAfterSeq) (dieLater ?? die)();
});
// The exact moment counts: these look each millisecond. The folders do not exist yet, so that nothing can watch them.
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
if (order.shell !== undefined) await session.send({ type: 'shell', command: order.shell, by: 'test' });
let result = await session.advance();
while (order.user === 'approves' && result.state === 'parked') {
  for (const { approval } of result.approvals) await klaus.answer(approval, 'approved', { by: 'test', raise: true });
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

/** Kills this process after a delay, from a separate thread, so that a busy main thread does not delay it. */
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
