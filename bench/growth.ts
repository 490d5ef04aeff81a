import { existsSync, mkdirSync } from 'node:fs';
import type { Script } from '@klaus/sdk';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { receive, startProcess } from './child.ts';
import type { Growth, GrowthOrder } from './growth-process.ts';
import { findNoSandbox, openModelServer } from './program.ts';

const EARLY = 100;
const DELTAS = 100;
const OUTPUTS = 10;
const OUTPUT_BYTES = 20_000_000;
const WORD = 'word ';

/** What a long session adds to the memory of its process: 100 deltas in every turn, and now and then a large output. */
export const growth: Benchmark = {
  name: 'growth',
  async run({ quick }) {
    const turns = quick ? 220 : 1_000;
    const name = `growth from turn ${EARLY} to turn ${turns.toLocaleString('en')}`;
    if (!existsSync('/proc/self/status')) return [{ name, skipped: 'resident memory is read from /proc' }];
    using place = createTestHome();
    mkdirSync(place.home, { mode: 0o700 });
    const sandbox = (await findNoSandbox(place)) === undefined ? 'bubblewrap' : 'host';
    await using server = await openModelServer(toScript(turns));
    const { home, workspace, env } = place;
    const order: GrowthOrder = { place: { home, workspace, env }, url: server.url, turns, early: EARLY, sandbox };
    const process = startProcess('growth-process.ts', order, { execArgv: ['--expose-gc'] });
    return toRows(name, await receive<Growth>(process), turns);
  },
};

function toScript(turns: number): Script {
  const large = new Set(
    Array.from({ length: OUTPUTS }, (_, index) => Math.floor(EARLY + ((index + 0.5) * (turns - EARLY)) / OUTPUTS)),
  );
  const command = `head -c ${OUTPUT_BYTES} /dev/zero | tr '\\0' a`;
  const steps = Array.from({ length: turns }, (_, turn) => ({
    when: { turn },
    chunk: WORD.length,
    reply: {
      text: { repeat: WORD, times: DELTAS },
      ...(turn === turns - 1
        ? {}
        : large.has(turn)
          ? { calls: [{ name: 'run_command', input: { command } }] }
          : { calls: [{ name: 'read_file', input: { path: 'README.md' } }] }),
    },
  }));
  return { steps, fallback: { text: 'A title' } };
}

function toRows(name: string, { early, late, shown }: Growth, turns: number): Row[] {
  const expected = turns * DELTAS * WORD.length;
  if (shown < expected) throw new Error(`${shown} characters were shown, not ${expected}`);
  const row = (what: string, from: number, to: number): Row => ({
    name: `${name}, ${what}`,
    most: 10,
    value: (to - from) / 1e6,
    unit: 'MB',
    bare: { value: from / 1e6, what: `${what} at turn ${EARLY}` },
  });
  return [row('live', early.live, late.live), row('resident', early.resident, late.resident)];
}
