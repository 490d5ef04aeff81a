// Covers adapters/store, adapters/workspace: a power cut at recorded system calls.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModelServer, type ModelServer, type Script } from '@klaus/adapters/models';
import { createSqliteStore } from '@klaus/adapters/store';
import { createKlaus, type Event } from '@klaus/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { createChance } from '../undo/chance.ts';
import { createKillBench, linesOf, PROGRAM, readSession, runOrder, type KillBench } from './kill-bench.ts';
import { readBase, toDiskRecord, type DiskRecord } from './power/disk-record.ts';
import { cutPower, writeDisk, type Fate } from './power/power-cut.ts';
import { hasStrace, recordSystemCalls } from './power/system-calls.ts';
import { createProject } from './twelve-tools.ts';

/** `POWER_CUTS=300 POWER_SEED=7`; to repeat one: `POWER_AT=event:fate`, with the same seed. */
const CUTS = Number(process.env['POWER_CUTS'] ?? 12);
const SEED = Number(process.env['POWER_SEED'] ?? 1);
const AT = process.env['POWER_AT'];
/** Number of power losses after which the run is also resumed to its end. */
const RESUME_EVERY = 8;

const LARGE = 'export const large = 1;\n'.repeat(4_000);
const PATCH = `*** Begin Patch
*** Update File: src/greet.js
@@
-export const greeting = 'hello';
+export const greeting = 'good day';
*** Add File: src/extra.js
+export const extra = 1;
*** End Patch`;

const CALLS: NonNullable<Script['steps'][number]['reply']['calls']>[] = [
  [{ name: 'write_file', input: { path: 'notes.txt', content: 'one\ntwo\n' } }],
  [{ name: 'edit_file', input: { path: 'notes.txt', edits: [{ old: 'two', new: 'TWO' }] } }],
  [{ name: 'apply_patch', input: { patch: PATCH } }],
  [{ name: 'delete_file', input: { path: 'old.txt' } }],
  [{ name: 'memory_set', input: { key: 'build', value: 'npm test runs everything' } }],
  [{ name: 'run_command', input: { command: 'seq 1 60000; echo ran >> ran.log' } }],
  [{ name: 'write_file', input: { path: 'deep/er/large.js', content: LARGE } }],
];
const SCRIPT: Script = {
  steps: CALLS.map((calls, turn) => ({ when: { turn, tools: true }, reply: { calls } })),
  fallback: { text: 'All is done.' },
};

/** Allowed contents of a file, the last state last; null means no file. */
const STATES: Record<string, (string | null)[]> = {
  'notes.txt': [null, 'one\ntwo\n', 'one\nTWO\n'],
  'src/greet.js': ["export const greeting = 'hello';\n", "export const greeting = 'good day';\n"],
  'src/extra.js': [null, 'export const extra = 1;\n'],
  'old.txt': ['old\n', null],
  'deep/er/large.js': [null, LARGE],
};

let server: ModelServer;
let bench: KillBench;
let recorded: { session: string; events: Event[]; disk: DiskRecord };

beforeAll(async () => {
  if (!hasStrace) return;
  server = await createModelServer({ script: SCRIPT });
  bench = createKillBench(createProject, { url: server.url, prompt: 'do it', sandbox: 'host' });
  const base = readBase(bench.folder);
  const traces = await mkdtemp(join(tmpdir(), 'klaus-trace-'));
  const { calls, stdout } = await recordSystemCalls(
    [process.execPath, PROGRAM, JSON.stringify({ ...bench.order, show: true })],
    { trace: join(traces, 'trace'), env: { ...process.env, UV_USE_IO_URING: '0' } },
  );
  rmSync(traces, { recursive: true });
  const { session } = JSON.parse(stdout.split('\n').find((line) => line.includes('"session"'))!) as { session: string };
  const events = await readSession(bench.order.home, session);
  recorded = { session, events, disk: toDiskRecord(bench.folder, base, calls) };
}, 180_000);
afterAll(async () => {
  bench?.[Symbol.dispose]();
  await server?.close();
});

interface Cut {
  at: number;
  fate: Fate;
}

function drawCuts(): Cut[] {
  if (AT !== undefined) {
    const [at, fate] = AT.split(':');
    return [{ at: Number(at), fate: fate as Fate }];
  }
  const chance = createChance(SEED);
  const fates: Fate[] = ['lost', 'any', 'any', 'kept'];
  return Array.from({ length: CUTS }, (_, index) => ({
    at: chance.number(recorded.disk.events.length + 1),
    fate: fates[index % fates.length]!,
  }));
}

const isGit = (path: string): boolean => path.startsWith(join(bench.order.workspace, '.git/'));

function rebuild({ at, fate }: Cut): { shown: number } {
  // Git is responsible for its own files.
  const disk = cutPower(recorded.disk, at, { fate, chance: createChance(SEED + at), certain: isGit });
  writeDisk(bench.folder, disk);
  const seqs = recorded.disk.events.slice(0, at).flatMap((event) => (event.kind === 'shown' ? [event.seq] : []));
  return { shown: Math.max(0, ...seqs) };
}

function stateOf(path: string): number {
  const file = join(bench.order.workspace, path);
  const content = existsSync(file) ? readFileSync(file, 'utf8') : null;
  return STATES[path]!.lastIndexOf(content);
}

/** No file is partly written, and everything that was reported as done is on the disk. */
function expectFiles(events: readonly Event[]): void {
  for (const path of Object.keys(STATES)) {
    const state = stateOf(path);
    expect({ path, isTorn: state < 0 }).toEqual({ path, isTorn: false });
    const finished = ofType(events, 'tool.finished').filter(
      ({ outcome, changes }) => outcome === 'ok' && changes.some((change) => change.path === path),
    );
    expect({ path, state: state >= finished.length }).toEqual({ path, state: true });
  }
}

async function expectComplete(shown: number): Promise<void> {
  const { session, events: original } = recorded;
  let events: Event[];
  {
    using store = createSqliteStore({ home: bench.order.home });
    expect(await store.verify(session)).toMatchObject({ intact: true });
    events = [...store.view.events(session)];
    expect(events.length).toBeGreaterThanOrEqual(shown);
    expect(events).toEqual(original.slice(0, events.length));
    for (const { blob } of ofType(events, 'tool.finished')) {
      if (blob) expect((await store.readBlob(blob.hash))?.length).toBe(blob.size);
    }
  }
  expectFiles(events.slice(0, shown));
  const after = ofType(events, 'workspace.snapshotted').filter(({ moment }) => moment === 'after');
  if (after.length === 0) return;
  await using klaus = await createKlaus({
    home: bench.order.home,
    cwd: bench.order.workspace,
    env: { PATH: process.env['PATH'] },
    settings: { model: 'scripted/test', 'sandbox.driver': 'host' },
    scripted: async () => ({ url: server.url }),
  });
  for (const { turn } of after) await klaus.handle(session).turnChanges(turn);
}

async function expectResumed(shown: number): Promise<void> {
  const { session, events: original } = recorded;
  const { prompt, ...rest } = bench.order;
  const isThere = shown > 0;
  const known = isThere ? { session } : {};
  const begun = isThere && (await readSession(bench.order.home, session)).some(({ type }) => type === 'run.started');
  const ended = await runOrder({ ...rest, ...known, ...(begun ? {} : { prompt: prompt! }) });
  expect(ended.signal).toBeNull();
  const events = await readSession(bench.order.home, ended.lines[0]!.session!);
  expect(ofType(events, 'run.finished').map(({ outcome }) => outcome)).toEqual(['done']);
  expect(events.slice(0, shown)).toEqual(original.slice(0, shown));
  expect(ofType(events, 'tool.finished')).toHaveLength(CALLS.length);
  expect(linesOf(bench).length).toBeLessThanOrEqual(1);
  for (const path of Object.keys(STATES)) expect({ path, state: stateOf(path) >= 0 }).toEqual({ path, state: true });
}

test.skipIf(!hasStrace)('the record is complete: without a loss it results in the present disk', async () => {
  expect(ofType(recorded.events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(CALLS.map(() => 'ok'));
  expect(ofType(recorded.events, 'tool.finished').some(({ blob }) => blob !== undefined)).toBe(true);
  const { shown } = rebuild({ at: recorded.disk.events.length, fate: 'kept' });
  expect(shown).toBe(recorded.events.length);
  await expectComplete(shown);
  expect(Object.keys(STATES).map(stateOf)).toEqual(Object.values(STATES).map((states) => states.length - 1));
  expect(readdirSync(bench.order.workspace)).toContain('ran.log');
});

test.skipIf(!hasStrace)(
  `power is cut at ${CUTS} moments: everything that was shown is stored, no file is partly written, and the run continues`,
  async () => {
    const failures: string[] = [];
    for (const [index, cut] of drawCuts().entries()) {
      try {
        const { shown } = rebuild(cut);
        if (shown > 0) await expectComplete(shown);
        if (index % RESUME_EVERY === 0) {
          rebuild(cut);
          await expectResumed(shown);
        }
      } catch (error) {
        failures.push(`POWER_AT=${cut.at}:${cut.fate} of ${recorded.disk.events.length}: ${(error as Error).message}`);
      }
    }
    expect(failures.join('\n\n')).toBe('');
  },
  3_600_000,
);
