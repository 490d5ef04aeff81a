// `npm run bench [-- NAME] [--quick] [--write]`: prints a line for each figure; `--write` makes docs/benchmarks.md of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { appendRate } from './append-rate.ts';
import type { Benchmark } from './benchmark.ts';
import { firstByte } from './first-byte.ts';
import { gate } from './gate.ts';
import { growth } from './growth.ts';
import { longSession } from './long-session.ts';
import { memory } from './memory.ts';
import { describe, readLoad, toPage } from './page.ts';
import { prefix } from './prefix.ts';
import { ROOT } from './program.ts';
import { sandboxExec } from './sandbox.ts';
import { secretScan } from './secret-scan.ts';
import { snapshot } from './snapshot.ts';
import { startTime } from './start-time.ts';
import { type Line, toLine, toTerminal } from './table.ts';
import { turnCost } from './turn-cost.ts';

const BENCHMARKS: readonly Benchmark[] = [
  startTime,
  firstByte,
  turnCost,
  appendRate,
  longSession,
  memory,
  growth,
  prefix,
  sandboxExec,
  gate,
  secretScan,
  snapshot,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const { quick, write } = values;
const unknown = positionals.find((name) => !BENCHMARKS.some((it) => it.name === name));
const chosen = BENCHMARKS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

if (unknown !== undefined)
  refuse(`There is no benchmark ${unknown}. There are: ${BENCHMARKS.map((it) => it.name).join(', ')}.`);
else if (write && positionals.length > 0) refuse('--write wants the whole list, or the page would lose the rest.');
else await runAll();

function refuse(reason: string): void {
  console.error(reason);
  process.exitCode = 2;
}

async function runAll(): Promise<void> {
  const before = readLoad();
  const begun = performance.now();
  const lines: Line[] = [];
  for (const benchmark of chosen) {
    try {
      for (const row of await benchmark.run({ quick })) {
        const line = toLine(row);
        lines.push(line);
        console.log(toTerminal(line));
      }
    } catch (error) {
      // The others still have something to say; a table with a hole is not written.
      console.error(`${benchmark.name} failed:`, error);
      process.exitCode = 1;
    }
  }
  const command = [
    'npm run bench',
    ...(quick || write ? ['--'] : []),
    ...(quick ? ['--quick'] : []),
    ...(write ? ['--write'] : []),
  ];
  const circumstances = { command: command.join(' '), load: { before, after: readLoad() } };
  console.log(`\n${describe(circumstances)}, ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  if (write && process.exitCode === undefined)
    writeFileSync(join(ROOT, 'docs/benchmarks.md'), toPage(lines, circumstances));
}
