// Writes events at a steady rate: into the log of a session, as another Klaus on the same database does, or as lines
// for the bare server. Told by one JSON object on the command line; begins at a line on standard input, ends by itself.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSqliteStore } from '@klaus/adapters/store';
import type { Draft } from '@klaus/core/agent';
import { EVENT_VERSION } from '@klaus/core/protocol';
import { toTurnDrafts } from '../drafts.ts';

export interface WriterOrder {
  /** Klaus's home; absent: lines on standard output. */
  home?: string;
  session: string;
  perSecond: number;
  seconds: number;
}

const order = JSON.parse(process.argv[2]!) as WriterOrder;
const total = order.perSecond * order.seconds;
const store = order.home === undefined ? undefined : createSqliteStore({ home: order.home });
const lease = await store?.claim(order.session);
if (store && !lease) throw new Error('the session is held by another process');
const drafts = toDrafts();
await once(process.stdin, 'data');
const begun = performance.now();
for (let written = 0; written < total;) {
  const due = Math.min(total, Math.floor(((performance.now() - begun) / 1_000) * order.perSecond));
  while (written < due) await write(drafts.next().value!, ++written);
  await sleep(2);
}
await lease?.release();
store?.[Symbol.dispose]();
process.exit(0);

/** One event, durable or on its way when it resolves. */
async function write(draft: Draft, seq: number): Promise<void> {
  const body = { ...draft, at: Date.now() };
  if (store) await store.append(order.session, [body], { lease: lease! });
  else {
    const line = JSON.stringify({ v: EVENT_VERSION, seq, prev: 'a'.repeat(64), session: order.session, ...body });
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
  }
}

function* toDrafts(): Generator<Draft, never> {
  for (let turn = 1; ; turn++) yield* toTurnDrafts(turn);
}
