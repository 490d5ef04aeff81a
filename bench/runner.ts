import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Benchmark } from './benchmark.ts';
import { describe, readLoad } from './page.ts';
import { ROOT } from './program.ts';
import { type Line, toLine, toMarkdown, toTerminal } from './table.ts';

export interface RunnerOptions {
  /** What was typed, such as `npm run bench`. */
  command: string;
  benchmarks: readonly Benchmark[];
  /** Relative to the root of the repository. */
  page: string;
  /** @param figures What was measured and how, in Markdown. */
  toPage: (figures: string) => string;
}

/**
 * Reads `[NAME] [--quick] [--write]` from the command line and prints a line for each figure; `--write` makes a page of
 * them.
 */
export async function runBenchmarks({ command, benchmarks, page, toPage }: RunnerOptions): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
  });
  const { quick, write } = values;
  const unknown = positionals.find((name) => !benchmarks.some((it) => it.name === name));
  if (unknown !== undefined)
    return refuse(`There is no benchmark ${unknown}. There are: ${benchmarks.map((it) => it.name).join(', ')}.`);
  if (write && positionals.length > 0)
    return refuse('--write needs all benchmarks, or the page would lose the others.');
  const chosen = benchmarks.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
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
  const missed = lines.filter(({ isMissed }) => isMissed).length;
  if (missed > 0) console.log(`\n${missed} of these figures are beyond their bars.`);
  const typed = [
    command,
    ...(quick || write ? ['--'] : []),
    ...(quick ? ['--quick'] : []),
    ...(write ? ['--write'] : []),
  ];
  const circumstances = describe({ command: typed.join(' '), load: { before, after: readLoad() } });
  console.log(`\n${circumstances}, ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  if (write && process.exitCode === undefined)
    writeFileSync(join(ROOT, page), toPage(`${circumstances}:\n\n${toMarkdown(lines)}`));
}

function refuse(reason: string): void {
  console.error(reason);
  process.exitCode = 2;
}
