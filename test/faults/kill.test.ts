// Covers core/agent/loop, adapters/store: SIGKILL after an event.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { createModelServer, type ModelServer } from '@klaus/adapters/models';
import type { Event, EventOf } from '@klaus/sdk';
import {
  canonicalOf,
  createKillBench,
  killAndResume as killThenResume,
  linesOf,
  readSession,
  runOrder,
  treeOf,
  type KillBench,
} from './kill-bench.ts';
import type { Order } from './klaus-process.ts';
import { createProject, GIT_ENV, TOOL_CALLS, TWELVE_TOOLS } from './twelve-tools.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** After how many events one is tried: a sample; `npm run test:kill` tries every event. */
const STEP = Number(process.env['KILL_STEP'] ?? 120);

const benches: KillBench[] = [];
afterAll(() => benches.forEach((bench) => bench[Symbol.dispose]()));

let server: ModelServer;
beforeAll(async () => {
  server = await createModelServer({ script: TWELVE_TOOLS });
});
afterAll(() => server.close());

function createBench(): KillBench {
  const bench = createKillBench(createProject, { url: server.url, prompt: 'do twelve things' });
  benches.push(bench);
  return bench;
}

async function eventsOf(bench: KillBench, session: string): Promise<Event[]> {
  return await readSession(bench.order.home, session);
}

let undisturbed: { events: Event[]; canonical: unknown[]; tree: string };
beforeAll(async () => {
  const bench = createBench();
  const ended = await runOrder(bench.order);
  expect(ended.lines.at(-1)?.result?.finished?.outcome).toBe('done');
  const events = await eventsOf(bench, ended.lines[0]!.session!);
  undisturbed = { events, canonical: canonicalOf(bench, events), tree: treeOf(bench) };
}, 60_000);

async function killAndResume(kill: Partial<Order>): Promise<{ bench: KillBench; events: Event[] }> {
  const bench = createBench();
  const { killed, session } = await killThenResume(bench, kill);
  expect(killed.signal).toBe('SIGKILL');
  return { bench, events: await eventsOf(bench, session) };
}

/** Calls with an unknown outcome, because the process was killed while a shell ran. */
const unknownOf = (events: Event[]) =>
  events.filter((event) => event.type === 'tool.finished' && event.outcome === 'unknown');

/** The log without the results of these calls and without conclusions from them. */
function withoutCall(canonical: unknown[], calls: Set<string>): unknown[] {
  const kept = (canonical as { type: string; call?: string }[]).filter(
    (event) => event.type !== 'tool.finished' || !calls.has(event.call!),
  );
  return kept.map((event) =>
    event.type === 'run.finished' ? { ...event, evidence: [], claim: 'none', claims: [] } : event,
  );
}

/** The order of events without their results. */
function toShape(event: unknown): unknown {
  const { type, turn, call, name, verdict } = event as Record<string, unknown>;
  return { type, turn, call, name, verdict };
}

function hasLine(bench: KillBench): boolean {
  return linesOf(bench).length > 0;
}

function expectSame(bench: KillBench, events: Event[]): void {
  const unknown = unknownOf(events) as EventOf<'tool.finished'>[];
  const calls = new Set(unknown.map((event) => event.call));
  const [mine, theirs] = [canonicalOf(bench, events), undisturbed.canonical];
  if (calls.size === 0) expect(mine).toEqual(theirs);
  // A shell that was killed before it wrote its line left no file or an empty one, which later events show.
  else if (!hasLine(bench)) expect(mine.map(toShape)).toEqual(theirs.map(toShape));
  else expect(withoutCall(mine, calls)).toEqual(withoutCall(theirs, calls));
  for (const event of unknown) {
    expect(['run_command', 'run_tests']).toContain(event.name);
    expect(event.output).toMatch(/\bunknown\b/i);
  }
  expect(unknown.length).toBeLessThanOrEqual(1);
}

function expectNothingTwice(bench: KillBench, events: Event[]): void {
  expect(linesOf(bench).length).toBeLessThanOrEqual(1);
  const results = events.filter((event) => event.type === 'tool.finished');
  expect(new Set(results.map((event) => event.call)).size).toBe(results.length);
  expect(results.length).toBe(TOOL_CALLS);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter((event) => event.type === 'run.finished')).toHaveLength(1);
}

test('the undisturbed run makes twelve calls and ends with a checkpoint', () => {
  expect(undisturbed.events.filter((event) => event.type === 'tool.finished')).toHaveLength(TOOL_CALLS);
  expect(undisturbed.events.some((event) => event.type === 'workspace.committed')).toBe(true);
});

test('two undisturbed runs have equal canonical logs', { tags: ['long'] }, async () => {
  const bench = createBench();
  const ended = await runOrder(bench.order);
  expect(canonicalOf(bench, await eventsOf(bench, ended.lines[0]!.session!))).toEqual(undisturbed.canonical);
});

describe('killed after an event', () => {
  test('and resumed', async () => {
    const { events } = undisturbed;
    const isFirst = ({ type }: Event, index: number) => events.findIndex((event) => event.type === type) === index;
    const firsts = events.filter(isFirst).filter((_, at) => STEP === 1 || at % 3 === 0);
    const moments = events.filter((event) => event.seq % STEP === 0 || firsts.includes(event)).map(({ seq }) => seq);
    const failures: string[] = [];
    const worker = async (): Promise<void> => {
      for (let seq = moments.shift(); seq !== undefined; seq = moments.shift()) {
        try {
          const { bench, events } = await killAndResume({ dieAfterSeq: seq });
          expectSame(bench, events);
          expectNothingTwice(bench, events);
          if (unknownOf(events).length === 0) expect(treeOf(bench)).toBe(undisturbed.tree);
        } catch (error) {
          failures.push(`after event ${seq} (${undisturbed.events[seq - 1]?.type}): ${(error as Error).message}`);
        }
      }
    };
    await Promise.all([worker(), worker()]);
    expect(failures).toEqual([]);
  }, 600_000);
});

describe('killed between an effect and its result', () => {
  for (const { cases, tags } of splitCases(['write_file', 'edit_file', 'apply_patch', 'delete_file'], 1))
    test.each(cases)('%s is found to be done, and not repeated', { tags }, async (tool) => {
      const { bench, events } = await killAndResume({ dieAfterEffect: tool });
      expectSame(bench, events);
      expectNothingTwice(bench, events);
      expect(treeOf(bench)).toBe(undisturbed.tree);
      expect(events.filter((event) => event.type === 'tool.started' && event.name === tool)).toHaveLength(1);
    });

  for (const { cases, tags } of splitCases(['read_file', 'git_status'], 1))
    test.each(cases)('%s, which only reads, is repeated', { tags }, async (tool) => {
      const { bench, events } = await killAndResume({ dieAfterEffect: tool });
      expectSame(bench, events);
      expectNothingTwice(bench, events);
      expect(treeOf(bench)).toBe(undisturbed.tree);
    });

  test('a checkpoint that was committed but not logged is found, and not created twice', async () => {
    const { bench, events } = await killAndResume({ dieAtCheckpoint: true });
    expectSame(bench, events);
    const ref = `refs/klaus/checkpoints/${events[0]!.session}`;
    const git = (...words: string[]) =>
      execFileSync('git', ['-C', bench.order.workspace, ...words], { env: GIT_ENV, encoding: 'utf8' }).trim();
    expect(git('rev-list', '--count', ref)).toBe('2');
    const snapshots = events.filter((event) => event.type === 'workspace.committed');
    expect(snapshots.map((event) => event.commit)).toEqual([git('rev-parse', ref)]);
  });

  test('a shell has an unknown outcome, its changes are reported, and it is not run again', async () => {
    const { bench, events } = await killAndResume({ dieAfterEffect: 'run_command' });
    expectSame(bench, events);
    expectNothingTwice(bench, events);
    const [unknown] = unknownOf(events) as EventOf<'tool.finished'>[];
    expect(unknown!.output).toContain('created ran.log');
    expect(unknown!.changes).toMatchObject([{ path: 'ran.log', kind: 'created' }]);
    expect(treeOf(bench)).toBe(undisturbed.tree);
  });
});
