// `npm run bench:peers [-- --quick] [--task NAME] [--peer NAME] [--pairs N] [--write] [--keep]`
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../core/protocol/message-of.ts';
import { fetchPeer, installKlaus } from './fetch.ts';
import type { MeasureOrder } from './measure.ts';
import { PEERS } from './peers.ts';
import type { LeftOut } from './rounds.ts';
import { TASKS } from './task.ts';

const USAGE = `Usage: npm run bench:peers -- [options]

  --quick       3 pairs and 1 look at the memory: shows that everything works, and rough figures
  --task NAME   only this task, more than once for several: ${TASKS.map(({ name }) => name).join(', ')}
  --peer NAME   only this peer, more than once for several: ${PEERS.map(({ name }) => name).join(', ')}
  --pairs N     rounds that count, default 21
  --slow-every N  let a peer that takes over 4 times the CPU of the fastest run in every Nth round only, default 1
  --write       write the sections of the tasks to docs/benchmarks-peers.md
  --keep        keep homes, workspaces and outputs, and say where
  --help        show this`;

const PAIRS = 21;
/** Words before a command that leave it no network but its own loopback. */
const OFFLINE = ['bwrap', '--dev-bind', '/', '/', '--unshare-net', '--die-with-parent', '--'];
const INTERRUPTED = 130;
const log = (line: string): void => console.error(line);

interface Order extends Pick<MeasureOrder, 'pairs' | 'memoryRounds' | 'slowEvery' | 'write'> {
  tasks: typeof TASKS;
  peers: typeof PEERS;
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
        'slow-every': { type: 'string', default: '1' },
        write: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return undefined;
    const pairs = toCount('pairs', values.pairs ?? (values.quick ? '3' : `${PAIRS}`));
    const slowEvery = toCount('slow-every', values['slow-every']);
    if (values.write && values.peer.length > 0) return '--write wants all peers, or the page would lose the rest.';
    const tasks = choose('task', values.task, TASKS);
    const peers = choose('peer', values.peer, PEERS);
    // Seven are the fewest that give an interval with one value to spare; what memory takes varies little.
    const memoryRounds = values.quick ? 1 : Math.max(Math.ceil(pairs / 3), Math.min(pairs, 7));
    return { pairs, memoryRounds, slowEvery, tasks, peers, write: values.write, keep: values.keep };
  } catch (error) {
    return messageOf(error);
  }
}

function toCount(option: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new Error(`--${option} must be an integer above 0, not ${text}.`);
}

function choose<Named extends { name: string }>(option: string, names: readonly string[], all: readonly Named[]) {
  const unknown = names.find((name) => !all.some((each) => each.name === name));
  if (unknown !== undefined)
    throw new Error(`There is no ${option} ${unknown}. There are: ${all.map(({ name }) => name).join(', ')}.`);
  return all.filter(({ name }) => names.length === 0 || names.includes(name));
}

async function runAll({ peers, keep, ...order }: Order): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-peers-')));
  try {
    await installKlaus(join(folder, 'klaus'), log);
    const fetched = await fetchAll(peers);
    copyNode(folder);
    const { tasks, ...rest } = order;
    process.exitCode = await measureOffline({ ...rest, ...fetched, folder, tasks: tasks.map(({ name }) => name) });
  } finally {
    if (keep) console.log(`\nEverything is kept in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

async function fetchAll(peers: typeof PEERS): Promise<Pick<MeasureOrder, 'peers' | 'leftOut'>> {
  const leftOut: LeftOut[] = [];
  for (const peer of peers) {
    try {
      await fetchPeer(peer, log);
    } catch (error) {
      leftOut.push({ title: peer.title, reason: messageOf(error) });
    }
  }
  const there = peers.filter(({ title }) => !leftOut.some((each) => each.title === title));
  return { peers: there.map(({ name }) => name), leftOut };
}

/** A Node that no other process runs: what is shared with others counts only in part as one's own memory. */
function copyNode(folder: string): void {
  mkdirSync(join(folder, 'node'));
  copyFileSync(process.execPath, join(folder, 'node/node'));
}

/** Measures where nothing can reach the outside. The exit code is that of measure.ts. */
async function measureOffline(measureOrder: MeasureOrder): Promise<number> {
  const [bubblewrap = '', ...words] = OFFLINE;
  const isOffline = spawnSync(bubblewrap, [...words, 'true'], { stdio: 'ignore' }).status === 0;
  if (!isOffline) log('bubblewrap does not work here: only their own settings keep the agents from the network.');
  const command = [process.execPath, join(import.meta.dirname, 'measure.ts'), JSON.stringify(measureOrder)];
  const [program = '', ...rest] = isOffline ? [...OFFLINE, ...command] : command;
  // In a group of its own, so that a Ctrl-C of the terminal reaches this process alone.
  const child = spawn(program, rest, { stdio: ['pipe', 'inherit', 'inherit'], detached: true });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // Asked twice, it ends at once; what it leaves is ended by the next bench.
      if (child.stdin!.writableEnded) child.kill('SIGKILL');
      else log('interrupted: what runs is run to its end, and the rounds that are done are shown …');
      child.stdin!.end();
    });
  }
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? INTERRUPTED;
}
