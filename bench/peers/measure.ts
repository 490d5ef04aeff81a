// The part of `npm run bench:peers` that runs without a network, started by run.ts with a MeasureOrder as JSON.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, readLoad } from '../page.ts';
import { ROOT } from '../program.ts';
import type { Agent } from './agent.ts';
import { known, toVerdicts } from './bars.ts';
import { toAgent, toKlaus } from './fetch.ts';
import { type Section, toPage } from './page.ts';
import { PEERS } from './peers.ts';
import { toSection } from './report.ts';
import { type LeftOut, measureTask, type RoundsOptions, type TaskResult, toValues } from './rounds.ts';
import type { Measure } from './run-agent.ts';
import { type Task, TASKS } from './task.ts';

export interface MeasureOrder extends Pick<RoundsOptions, 'pairs' | 'memoryRounds' | 'slowEvery'> {
  /** By name. */
  tasks: readonly string[];
  /** By name; all of them are fetched. */
  peers: readonly string[];
  leftOut: readonly LeftOut[];
  /** Holds `klaus`, installed, and `node`; takes homes and workspaces. */
  folder: string;
  write: boolean;
}

const PAGE = join(ROOT, 'docs/benchmarks-peers.md');
const RESULTS = join(ROOT, 'bench/results');
const log = (line: string): void => console.error(line);

if (import.meta.main) await measureAll(JSON.parse(process.argv[2]!) as MeasureOrder);

/** The exit code is 1 when a bar for CPU time is missed. */
async function measureAll(order: MeasureOrder): Promise<void> {
  for (const { title, reason } of order.leftOut) console.log(`${title} is left out: ${reason}`);
  const agents = [
    toKlaus(join(order.folder, 'klaus')),
    ...PEERS.filter(({ name }) => order.peers.includes(name)).map(toAgent),
  ];
  const sections: Section[] = [];
  const interruption = new AbortController();
  // run.ts holds the other end, and lets go of it when it is interrupted or gone.
  process.stdin.once('end', () => interruption.abort()).resume();
  for (const task of TASKS.filter(({ name }) => order.tasks.includes(name))) {
    if (interruption.signal.aborted) break;
    const { result, markdown } = await measure(task, { ...order, agents, signal: interruption.signal });
    console.log(`\n${markdown}`);
    save(result);
    sections.push({ name: task.name, markdown });
    // After each task: a long bench that is interrupted has not been for nothing.
    if (order.write) writeFileSync(PAGE, toPage(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '', sections));
    if (toVerdicts(result).some(({ bar, isMet }) => bar.measure === 'cpu' && !isMet)) process.exitCode = 1;
  }
  process.stdin.destroy();
}

async function measure(
  task: Task,
  {
    agents,
    pairs,
    memoryRounds,
    slowEvery,
    folder,
    leftOut,
    signal,
  }: MeasureOrder & { agents: readonly Agent[]; signal: AbortSignal },
): Promise<{ result: TaskResult; markdown: string }> {
  const before = readLoad();
  const begun = performance.now();
  const node = join(folder, 'node');
  const measured = await measureTask({ task, agents, pairs, memoryRounds, slowEvery, folder, node, log, signal });
  const result = { ...measured, leftOut: [...leftOut, ...measured.leftOut] };
  const slow = slowEvery === 1 ? '' : ` --slow-every ${slowEvery}`;
  const command = `npm run bench:peers -- --task ${task.name} --pairs ${pairs}${slow}`;
  const circumstances = describe({ command, load: { before, after: readLoad() } });
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  const [done, looks] = (['cpu', 'memory'] as const).map((each) => countRounds(result, each));
  const cut = signal.aborted ? 'interrupted after ' : '';
  const taken = `${circumstances}, ${cut}${done} pairs and ${looks} further rounds for the memory, ${seconds} s.`;
  return { result, markdown: `${toSection(result)}\n\n${taken}` };
}

function countRounds({ series }: TaskResult, figure: Measure): number {
  const klaus = series.find(({ agent }) => agent.name === 'klaus');
  return klaus === undefined ? 0 : known(toValues(klaus, figure)).length;
}

/** Every value, for a closer analysis. */
function save({ task, series }: TaskResult): void {
  mkdirSync(RESULTS, { recursive: true });
  const values = series.map(({ agent, rounds }) => ({ name: agent.name, version: agent.version, rounds }));
  writeFileSync(join(RESULTS, `peers-${task.name}.json`), `${JSON.stringify(values, undefined, 1)}\n`);
}
