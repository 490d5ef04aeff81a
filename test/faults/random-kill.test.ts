// Covers core/agent/loop, adapters/store: SIGKILL at random moments.
// @module-tag long
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createModelServer, type ModelServer } from '@klaus/adapters/models';
import { createSqliteStore } from '@klaus/adapters/store';
import { addUsage, NO_USAGE, type Event } from '@klaus/sdk';
import { loadState } from '@klaus/core/agent';
import { afterAll, beforeAll, expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { ofType } from '../fixtures/engine.ts';
import { canonicalOf, createKillBench, killAndResume, linesOf, readSession, runOrder, treeOf } from './kill-bench.ts';
import { createChance } from '../undo/chance.ts';
import { createMarkedProject, TWENTY, TWENTY_TOOLS } from './twenty-tools.ts';

/** Number of moments and seed: `KILLS=200 KILL_SEED=7`. To repeat one moment: `KILL_AT=seq+ms`. */
const KILLS = Number(process.env['KILLS'] ?? 3);
const SEED = Number(process.env['KILL_SEED'] ?? 1);
const AT = process.env['KILL_AT'];

interface Moment {
  dieAfterSeq: number;
  dieDelayMs: number;
}

let server: ModelServer;
beforeAll(async () => {
  server = await createModelServer({ script: TWENTY_TOOLS });
});
afterAll(() => server.close());

const createBench = () =>
  createKillBench(createMarkedProject, {
    url: server.url,
    prompt: 'do twenty things',
    mode: 'edits',
    onAsk: 'wait',
    user: 'approves',
  });

let undisturbed: { events: Event[]; canonical: unknown[]; tree: string };
beforeAll(async () => {
  using bench = createBench();
  const ended = await runOrder(bench.order);
  expect(ended.lines.at(-1)?.result?.finished?.outcome).toBe('done');
  const events = await readSession(bench.order.home, ended.lines[0]!.session!);
  undisturbed = { events, canonical: canonicalOf(bench, events), tree: treeOf(bench) };
}, 120_000);

/** An event and a part of the time until the next one in the undisturbed run. */
function drawMoments(): Moment[] {
  if (AT !== undefined) {
    const [dieAfterSeq = 1, dieDelayMs = 0] = AT.split('+').map(Number);
    return [{ dieAfterSeq, dieDelayMs }];
  }
  const chance = createChance(SEED);
  const { events } = undisturbed;
  const [begun, over] = [events[0]!.at, events.at(-1)!.at];
  return Array.from({ length: KILLS }, () => {
    // Half of them at any time, when mostly a command runs; half near any event.
    if (chance.percent(50)) return { dieAfterSeq: chance.pick(events).seq, dieDelayMs: chance.number(50) / 10 };
    const time = begun + chance.number(over - begun);
    const { seq, at } = events.findLast((event) => event.at <= time)!;
    return { dieAfterSeq: seq, dieDelayMs: time - at };
  });
}

/** The first event that differs from the undisturbed run. */
function findDifference(canonical: readonly unknown[]): string | undefined {
  const [mine, theirs] = [canonical, undisturbed.canonical].map((log) => log.map((event) => JSON.stringify(event)));
  const at = mine!.findIndex((event, index) => event !== theirs![index]);
  if (at < 0)
    return mine!.length === theirs!.length ? undefined : `${theirs!.length - mine!.length} events are missing`;
  return `${mine![at]}\ninstead of\n${theirs![at]}`;
}

/** The order of events without their results. */
function toShape(event: unknown): unknown {
  const { type, turn, call, name, verdict } = event as Record<string, unknown>;
  return { type, turn, call, name, verdict };
}

/** Processes with this working folder or with its path in their command line. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const texts = [readlinkSync(`/proc/${pid}/cwd`), readFileSync(`/proc/${pid}/cmdline`, 'latin1')];
        return texts.some((text) => text.includes(folder));
      } catch {
        return false;
      }
    });
}

/** Every spent token is in the log once, and the state and the tables are equal to it. */
async function expectBalance(home: string, session: string, events: readonly Event[]): Promise<void> {
  const attempts = ofType(events, 'model.attempted');
  const usage = attempts.reduce((sum, event) => addUsage(sum, event.usage), NO_USAGE);
  const usd = attempts.reduce((sum, event) => sum + event.usd!, 0);
  using store = createSqliteStore({ home });
  const { spent, ledger } = await loadState({ store }, session);
  const account = ledger.get(session)!;
  expect(account.usage).toEqual(usage);
  expect(account.usd).toBeCloseTo(usd, 9);
  expect(account.open).toBeUndefined();
  expect(spent.toolCalls).toBe(TWENTY);
  const row = (await store.session(session))!;
  expect(row).toMatchObject({
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
    toolCalls: spent.toolCalls,
    turns: spent.turns,
  });
  expect(row.costUsd).toBeCloseTo(usd, 9);
  // A request with an unknown end is charged once, with its reservation.
  expect(attempts.filter(({ outcome }) => outcome === 'abandoned').length).toBeLessThanOrEqual(1);
  expect(ofType(events, 'turn.started')).toHaveLength(spent.turns);
}

async function tryMoment(moment: Moment): Promise<{ wasKilled: boolean }> {
  using bench = createBench();
  const { killed, session } = await killAndResume(bench, moment);
  expect(processesOf(bench.folder)).toEqual([]);
  const events = await readSession(bench.order.home, session);
  const results = ofType(events, 'tool.finished');
  expect(results).toHaveLength(TWENTY);
  expect(new Set(results.map(({ call }) => call)).size).toBe(TWENTY);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(ofType(events, 'run.finished').map(({ outcome }) => outcome)).toEqual(['done']);
  const lines = linesOf(bench);
  expect(new Set(lines).size).toBe(lines.length);
  const unknown = results.filter(({ outcome }) => outcome === 'unknown');
  expect(unknown.length).toBeLessThanOrEqual(1);
  const canonical = canonicalOf(bench, events);
  if (unknown.length === 0) {
    const difference = findDifference(canonical);
    if (difference !== undefined) throw new Error(difference);
    expect(treeOf(bench)).toBe(undisturbed.tree);
  } else {
    expect(unknown[0]!.output).toMatch(/\bunknown\b/i);
    // Later events show changes that were not made, and a missing commit leaves changes for
    // the checkpoint; otherwise the events are equal.
    const isOther = (event: unknown): boolean => (event as Event).type === 'workspace.committed';
    const [shape, expected] = [canonical, undisturbed.canonical].map((log) =>
      log.filter((event) => !isOther(event)).map(toShape),
    );
    expect(shape).toEqual(expected);
  }
  await expectBalance(bench.order.home, session, events);
  return { wasKilled: killed.signal === 'SIGKILL' };
}

test('the undisturbed run uses twenty different tools, asks, and is answered', () => {
  expect(new Set(ofType(undisturbed.events, 'tool.finished').map(({ name }) => name)).size).toBe(TWENTY);
  expect(ofType(undisturbed.events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(Array(TWENTY).fill('ok'));
  expect(ofType(undisturbed.events, 'approval.answered').length).toBeGreaterThanOrEqual(4);
});

test(`killed at ${KILLS} random moments and resumed: no event is lost or repeated, and no process remains`, async () => {
  const moments = drawMoments();
  const failures: string[] = [];
  let killed = 0;
  const worker = async (): Promise<void> => {
    for (let moment = moments.shift(); moment !== undefined; moment = moments.shift()) {
      const { dieAfterSeq, dieDelayMs } = moment;
      try {
        if ((await tryMoment(moment)).wasKilled) killed++;
      } catch (error) {
        const type = undisturbed.events[dieAfterSeq - 1]?.type;
        failures.push(`KILL_AT=${dieAfterSeq}+${dieDelayMs} (${type}): ${(error as Error).message}`);
      }
    }
  };
  await Promise.all([worker(), worker()]);
  expect(failures).toEqual([]);
  if (KILLS > 20) console.log(`${killed} of ${KILLS} were killed in time, seed ${SEED}`);
  expect(killed).toBeGreaterThan(0);
}, 3_600_000);
