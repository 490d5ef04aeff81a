// `npm run bench:peers [-- --quick] [--task NAME] [--peer NAME] [--pairs N] [--write] [--keep]`
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describe, readLoad } from '../page.ts';
import { ROOT } from '../program.ts';
import type { Agent } from './agent.ts';
import { toVerdicts } from './bars.ts';
import { fetchPeer, installKlaus } from './fetch.ts';
import { type Section, toPage } from './page.ts';
import { PEERS } from './peers.ts';
import { toSection } from './report.ts';
import { type LeftOut, measureTask, type TaskResult } from './rounds.ts';
import { TASKS } from './task.ts';

const USAGE = `Usage: npm run bench:peers -- [options]

  --quick       3 pairs and 1 look at the memory: shows that everything works, and rough figures
  --task NAME   only this task, more than once for several: ${TASKS.map(({ name }) => name).join(', ')}
  --peer NAME   only this peer, more than once for several: ${PEERS.map(({ name }) => name).join(', ')}
  --pairs N     rounds that count, default 21
  --write       write the sections of the tasks to docs/benchmarks-peers.md
  --keep        keep homes, workspaces and outputs, and say where
  --help        show this`;

const PAIRS = 21;
const PAGE = join(ROOT, 'docs/benchmarks-peers.md');
const RESULTS = join(ROOT, 'bench/results');
const tell = (line: string): void => console.error(line);

interface Order {
  pairs: number;
  memoryRounds: number;
  tasks: typeof TASKS;
  peers: typeof PEERS;
  write: boolean;
  keep: boolean;
}

const order = readOrder();
if (typeof order === 'string') {
  console.error(`${order}\n\n${USAGE}`);
  process.exitCode = 2;
} else if (order === undefined) console.log(USAGE);
else if (process.platform !== 'linux') {
  console.error('This bench reads control groups and /proc: it runs on Linux only.');
  process.exitCode = 1;
} else await runAll(order);

/** What is to be done; undefined when help is wanted, a text when something is wrong. */
function readOrder(): Order | string | undefined {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        task: { type: 'string', multiple: true, default: [] },
        peer: { type: 'string', multiple: true, default: [] },
        pairs: { type: 'string' },
        write: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return undefined;
    const pairs = Number(values.pairs ?? (values.quick ? 3 : PAIRS));
    if (!Number.isSafeInteger(pairs) || pairs < 1) return `--pairs wants a whole number above 0, not ${values.pairs}.`;
    if (values.write && values.peer.length > 0) return '--write wants all peers, or the page would lose the rest.';
    const tasks = choose('task', values.task, TASKS);
    const peers = choose('peer', values.peer, PEERS);
    if (typeof tasks === 'string') return tasks;
    if (typeof peers === 'string') return peers;
    // Seven are the fewest that give an interval with one value to spare; what memory takes varies little.
    const memoryRounds = values.quick ? 1 : Math.max(Math.ceil(pairs / 3), Math.min(pairs, 7));
    return { pairs, memoryRounds, tasks, peers, write: values.write, keep: values.keep };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function choose<Named extends { name: string }>(
  option: string,
  names: readonly string[],
  all: readonly Named[],
): readonly Named[] | string {
  const unknown = names.find((name) => !all.some((each) => each.name === name));
  if (unknown !== undefined)
    return `There is no ${option} ${unknown}. There are: ${all.map(({ name }) => name).join(', ')}.`;
  return all.filter(({ name }) => names.length === 0 || names.includes(name));
}

async function runAll({ pairs, memoryRounds, tasks, peers, write, keep }: Order): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-peers-')));
  try {
    const node = copyNode(folder);
    const { agents, leftOut } = await gather(folder, peers);
    for (const { title, reason } of leftOut) console.log(`${title} is left out: ${reason}`);
    const sections: Section[] = [];
    for (const task of tasks) {
      const load = { before: readLoad(), after: 0 };
      const begun = performance.now();
      const measured = await measureTask({ task, agents, pairs, memoryRounds, folder, node, tell });
      const result = { ...measured, leftOut: [...leftOut, ...measured.leftOut] };
      load.after = readLoad();
      const command = `npm run bench:peers -- --task ${task.name} --pairs ${pairs}`;
      const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
      const taken = `${describe({ command, load })}, ${memoryRounds} looks at the memory, ${seconds} s.`;
      const markdown = `${toSection(result)}\n\n${taken}`;
      console.log(`\n${markdown}`);
      save(result);
      sections.push({ name: task.name, markdown });
      // After each task: a long bench that is interrupted has not been for nothing.
      if (write) writeFileSync(PAGE, toPage(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '', sections));
      if (toVerdicts(result).some(({ bar, isMet }) => bar.measure === 'cpu' && !isMet)) process.exitCode = 1;
    }
  } finally {
    if (keep) console.log(`\nEverything is kept in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

/** A Node that no other process runs: what is shared with others counts only in part as one's own memory. */
function copyNode(folder: string): string {
  const target = join(folder, 'node');
  mkdirSync(target);
  copyFileSync(process.execPath, join(target, 'node'));
  return target;
}

async function gather(folder: string, peers: typeof PEERS): Promise<{ agents: Agent[]; leftOut: LeftOut[] }> {
  const leftOut: LeftOut[] = [];
  const agents = [await installKlaus(join(folder, 'klaus'), tell)];
  for (const peer of peers) {
    try {
      agents.push(await fetchPeer(peer, tell));
    } catch (error) {
      leftOut.push({ title: peer.title, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { agents, leftOut };
}

/** Every single value, for whoever wants to look closer. */
function save({ task, series }: TaskResult): void {
  mkdirSync(RESULTS, { recursive: true });
  const values = series.map(({ agent, rounds }) => ({ name: agent.name, version: agent.version, rounds }));
  writeFileSync(join(RESULTS, `peers-${task.name}.json`), `${JSON.stringify(values, undefined, 1)}\n`);
}
