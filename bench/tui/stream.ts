import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Benchmark, Row, Skipped } from '../benchmark.ts';
import { receive, startProcess } from '../child.ts';
import type { ModelOrder, ModelReady } from '../model-process.ts';
import { openProcessGroup } from '../peers/process-group.ts';
import { buildBundle } from '../program.ts';
import { openKlaus, openPeer, type Program } from './programs.ts';
import { openPty, type Pty } from './pty.ts';

/** Characters of one piece, and milliseconds between two: faster than any model writes. */
const PIECE = { size: 40, pace: 1 };
const LAST_WORDS = 'These are the last words.';
const PROMPT = 'Describe all of it';
const HUNG_MS = 1_800_000;
/** Milliseconds after which an unfinished answer counts with what it has used until then. */
const LIMIT_MS = 600_000;
/** Milliseconds between the shown prompt and Enter: some take fast input for a paste. */
const TYPED_MS = 500;
/** Milliseconds until Enter is pressed again, and how often. */
const ENTER_MS = 3_000;
const MAX_ENTERS = 20;
/** Milliseconds in which what the answer has left to do is done. */
const SETTLED_MS = 3_000;

const SECTION = `## What the sum is made of

The sum is **made in two places**, and only one of them rounds; see \`src/sum.ts\`. A paragraph of ordinary length says what was found there, and why it matters to the reader of the bill at the end of the month.

- \`src/sum.ts\` adds first and rounds at the end,
- \`src/total.ts\` rounds each part.

| values | before | after |
|---|---:|---:|
| 0.1, 0.2 | 0.30 | 0.30 |
| 1.005, 1.005 | 2.00 | 2.01 |

\`\`\`ts
export function sum(values: readonly number[]): number {
  return Math.round(values.reduce((all, value) => all + value, 0) * 100) / 100;
}
\`\`\`

`;

interface Streamed {
  /** Milliseconds of all processes. */
  cpu: number;
  /** MB of all processes, each at its highest. */
  peak: number;
  /** MB after that. */
  resident: number;
  clears: number;
  /** False: it was stopped after {@link LIMIT_MS}. */
  isFinished: boolean;
}

type Opening = (url: string) => Promise<Program>;

/** A long answer as it comes: its CPU beside Codex, its memory beside pi. */
export const stream: Benchmark = {
  name: 'stream',
  async run({ quick }) {
    const bundle = buildBundle();
    const size = quick ? 100_000 : 1_000_000;
    const openings: Record<string, Opening> = {
      klaus: (url) => openKlaus(bundle, url),
      codex: (url) => openPeer('codex', url),
      pi: (url) => openPeer('pi', url),
    };
    const found = new Map<string, Streamed>();
    const skipped: Skipped[] = [];
    const names = Object.keys(openings);
    for (const name of names) {
      try {
        const streamed = await streamOnce(openings[name]!, size);
        if (name === 'klaus' && !streamed.isFinished) throw new Error('The answer did not end in time.');
        found.set(name, streamed);
      } catch (error) {
        if (name === 'klaus') throw error;
        skipped.push({ name: `answer of ${name}`, skipped: String(error).split('\n')[0]! });
      }
    }
    return [...toRows(`answer of ${quick ? '100 KB' : '1 MB'} as it comes`, found), ...skipped];
  },
};

function toRows(name: string, found: ReadonlyMap<string, Streamed>): Row[] {
  const read = (program: string, key: 'cpu' | 'peak' | 'resident' | 'clears'): number | undefined =>
    found.get(program)?.[key];
  const row = (title: string, key: 'cpu' | 'peak' | 'resident', beside: { program: string; most?: number }): Row => {
    const other = read(beside.program, key);
    const isFinished = found.get(beside.program)?.isFinished ?? true;
    const minutes = LIMIT_MS / 60_000;
    const what = `${beside.program}${isFinished ? '' : `, stopped unfinished after ${minutes} minutes`}`;
    const bare = other === undefined ? {} : { bare: { value: other, what } };
    const most = beside.most === undefined ? {} : { most: { times: beside.most } };
    return {
      name: `${name}: ${title}`,
      value: read('klaus', key)!,
      unit: key === 'cpu' ? 'ms' : 'MB',
      ...bare,
      ...most,
    };
  };
  return [
    row('CPU', 'cpu', { program: 'codex', most: 0.5 }),
    row('CPU', 'cpu', { program: 'pi' }),
    row('peak memory', 'peak', { program: 'pi', most: 1 }),
    row('memory after that', 'resident', { program: 'pi', most: 1 }),
    row('peak memory', 'peak', { program: 'codex' }),
    { name: `${name}: clears of the screen`, value: read('klaus', 'clears')!, unit: 'clears', most: 0 },
  ];
}

async function streamOnce(open: Opening, size: number): Promise<Streamed> {
  const times = Math.ceil(size / SECTION.length);
  const steps = [
    { when: { tools: false }, reply: { text: 'A title' } },
    { pace: PIECE.pace, chunk: PIECE.size, reply: { text: `${SECTION.repeat(times)}${LAST_WORDS}\n` } },
  ];
  const folder = mkdtempSync(join(tmpdir(), 'klaus-stream-'));
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify({ steps }));
  const model = startProcess('model-process.ts', { script } satisfies ModelOrder);
  const group = openProcessGroup();
  try {
    const { url } = await receive<ModelReady>(model);
    using program = await open(url);
    await using pty = await openPty(program.command, { ...program.options, enter: group.enter, hungMs: HUNG_MS });
    await pty.shows(program.prompt);
    await pause(SETTLED_MS);
    const before = group.readCpu();
    pty.type(PROMPT);
    // Codex paints its input long before it takes keys.
    await pty.shows(new RegExp(PROMPT));
    await pause(TYPED_MS);
    await send(pty);
    const finished = pty.shows(new RegExp(LAST_WORDS)).then(() => true);
    finished.catch(() => {});
    const isFinished = await Promise.race([finished, pause(LIMIT_MS, false, { ref: false })]);
    await pause(SETTLED_MS);
    const cpu = group.readCpu() - before;
    const pids = group.readPids();
    return { cpu, peak: sum(pids, 'VmHWM'), resident: sum(pids, 'VmRSS'), clears: pty.clears, isFinished };
  } finally {
    await group.close();
    if (model.connected) model.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Presses Enter until the answer begins: Codex ignores it while its engine loads. */
async function send(pty: Pty): Promise<void> {
  const begun = pty.shows(/What the sum/).then(() => true);
  for (let attempt = 0; attempt < MAX_ENTERS; attempt++) {
    pty.type('\r');
    if (await Promise.race([begun, pause(ENTER_MS).then(() => false)])) return;
  }
  await begun;
}

/** MB. @source man 5 proc_pid_status */
function sum(pids: readonly number[], field: 'VmHWM' | 'VmRSS'): number {
  const kib = pids.map((pid) => {
    try {
      return Number(
        new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0,
      );
    } catch {
      // It has just ended.
      return 0;
    }
  });
  return (kib.reduce((all, each) => all + each, 0) * 1_024) / 1e6;
}
