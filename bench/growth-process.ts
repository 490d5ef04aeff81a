// One long session; reads what its own process holds at two turns.
import { readFileSync } from 'node:fs';
import type { TestHome } from '../test/fixtures/test-home.ts';

export interface GrowthOrder {
  place: Pick<TestHome, 'home' | 'workspace' | 'env'>;
  url: string;
  turns: number;
  /** The turn whose memory the end is compared with. */
  early: number;
  sandbox: 'bubblewrap' | 'host';
}

/** Bytes. */
export interface Held {
  /** What the process cannot give up: heap and buffers after a collection. */
  live: number;
  resident: number;
}

export interface Growth {
  early: Held;
  late: Held;
  /** Characters that were shown as they came. */
  shown: number;
}

// As the program does, and like there before the rest is loaded.
process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
const { createKlaus } = await import('@klaus/sdk');
const { place, url, turns, early, sandbox } = JSON.parse(process.argv[2]!) as GrowthOrder;
await using klaus = await createKlaus({
  home: place.home,
  cwd: place.workspace,
  env: place.env,
  settings: { model: 'scripted/growth', 'limits.tokens': 0, 'limits.toolCalls': 0 },
  scripted: async () => ({ url, contextWindow: 100_000_000 }),
});
const session = await klaus.open({ sandbox });
let first: Held | undefined;
let shown = 0;
session.subscribe(0, (event) => {
  if (event.type === 'turn.started' && event.turn === early) first = readHeld();
});
session.onLive((live) => {
  if (live.type === 'message.delta') shown += live.text.length;
});
await session.prompt(`Work for ${turns} turns.`);
const result = await session.advance();
const outcome = result.state === 'idle' ? result.finished?.outcome : result.state;
if (outcome !== 'done' || !first) throw new Error(`the session ended with ${outcome}`);
process.send!({ early: first, late: readHeld(), shown } satisfies Growth);
process.disconnect();

function readHeld(): Held {
  // Twice: what a finalizer frees is collected by the next.
  globalThis.gc!();
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return { live: heapUsed + external, resident: Number(resident ?? 0) * 1_024 };
}
