// Covers adapters/sandboxes/background: background processes over crashes.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createModelServer, type ModelServer, type Script } from '@klaus/adapters/models';
import { createProcesses } from '@klaus/adapters/sandboxes';
import { createSqliteStore } from '@klaus/adapters/store';
import type { Event } from '@klaus/sdk';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { eventually, findProcesses } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { ofType } from '../fixtures/engine.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import type { Order } from './klaus-process.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const PROGRAM = join(import.meta.dirname, 'klaus-process.ts');

/** Writes a line each time it runs, so that a second run is noticed, and ends when the test ends it. */
const COMMAND = 'echo ran >> ran.log; echo up; until [ -e go ]; do sleep 0.02; done; echo gone; exit 4';

function toScript(survive: boolean): Script {
  return {
    steps: [
      {
        when: { turn: 0, tools: true },
        reply: { calls: [{ name: 'run_command', input: { command: COMMAND, background: true, survive } }] },
      },
      {
        when: { turn: 1, tools: true },
        reply: { calls: [{ name: 'process_output', input: { process: 'p1', waitFor: 'up' } }] },
      },
      { when: { turn: 2, tools: true }, reply: { calls: [{ name: 'list_files', input: {} }] } },
    ],
    fallback: { text: 'It is up.' },
  };
}

const servers = new Map<boolean, ModelServer>();
beforeAll(async () => {
  for (const survive of [true, false]) servers.set(survive, await createModelServer({ script: toScript(survive) }));
});
afterAll(async () => {
  for (const server of servers.values()) await server.close();
});

interface Ended {
  signal: NodeJS.Signals | null;
  session: string | undefined;
}

/** @param afterMs Kills it from outside after this time. Default: it kills itself as ordered. */
function run(order: Order, afterMs?: number): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [PROGRAM, JSON.stringify(order)], (error, stdout, stderr) => {
      const signal = error?.signal ?? null;
      if (error && signal !== 'SIGKILL') return reject(new Error(`${error.message}\n${stderr}`));
      resolve({ signal, session: /"session":"(\w+)"/.exec(stdout)?.[1] });
    });
    // Measured from the creation of the session.
    if (afterMs !== undefined) child.stdout!.once('data', () => setTimeout(() => child.kill('SIGKILL'), afterMs));
  });
}

function toOrder(place: TestHome, survive: boolean): Order {
  return { home: place.home, workspace: place.workspace, url: servers.get(survive)!.url, prompt: 'start it' };
}

const eventsOf = async (place: TestHome, session: string): Promise<Event[]> => {
  using store = createSqliteStore({ home: place.home });
  expect(await store.verify(session)).toMatchObject({ intact: true });
  return [...store.view.events(session)];
};

const countRuns = ({ workspace }: TestHome): number => {
  const file = join(workspace, 'ran.log');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).length : 0;
};

/** The log of an undisturbed run, and the end of its second turn, when the process has begun. */
let undisturbed: Event[];
let second: number;
beforeAll(async () => {
  using place = createTestHome();
  const { session } = await run(toOrder(place, false));
  undisturbed = await eventsOf(place, session!);
  second = undisturbed.find((event) => event.type === 'turn.finished' && event.turn === 2)!.seq;
});

/** The running processes of a place's sandboxes and their supervising shells. */
const runningIn = ({ home }: TestHome): number[] => findProcesses(home);

/** Kills a Klaus process as ordered, checks the remaining processes, resumes the session, and checks again. */
async function killAndResume(survive: boolean, kill: Partial<Order>, afterMs?: number): Promise<string> {
  using place = createTestHome();
  const order = toOrder(place, survive);
  const killed = await run({ ...order, ...kill }, afterMs);
  const processes = createProcesses({ home: place.home }).open(killed.session!);
  const { prompt, ...rest } = order;
  try {
    if (killed.signal === null) return 'it had ended before';
    const begun = countRuns(place);
    // Unmarked processes end without help.
    if (!survive) expect(await eventually(() => runningIn(place).length === 0)).toBe(true);
    const before = processes.find('p1');
    await run({ ...rest, session: killed.session! });
    let events = await eventsOf(place, killed.session!);
    if (!events.some((event) => event.type === 'run.started')) {
      await run({ ...rest, session: killed.session!, prompt: prompt! });
      events = await eventsOf(place, killed.session!);
    }
    // Started once, or not at all with a report.
    const [result] = ofType(events, 'tool.finished');
    const started = ofType(events, 'process.changed').filter(({ state }) => state === 'started');
    const runs = countRuns(place);
    expect(runs).toBeLessThanOrEqual(1);
    expect(started).toHaveLength(result!.outcome === 'ok' ? 1 : 0);
    if (result!.outcome === 'ok') expect(result!.output).toContain('p1');
    else expect(result).toMatchObject({ outcome: 'error', output: expect.not.stringContaining('p1') });
    if (result!.outcome !== 'ok') expect(runs).toBe(0);
    if (begun === 1) expect(result!.outcome).toBe('ok');
    if (result!.outcome !== 'ok') {
      expect(runningIn(place)).toEqual([]);
      return 'never started';
    }
    if (!survive) {
      expect(runningIn(place)).toEqual([]);
      expect(processes.find('p1')).toMatchObject({ state: 'stopped' });
      return 'ended with its Klaus';
    }
    // The same process, with its complete output, and with its exit code after the end.
    const now = processes.find('p1')!;
    expect(now).toMatchObject({ state: 'running' });
    if (before?.state === 'running') expect(now.pid).toBe(before.pid);
    writeFileSync(join(place.workspace, 'go'), '');
    expect(await processes.wait('p1', { until: { kind: 'exit' }, timeoutMs: 30_000 })).toBe('met');
    expect(processes.find('p1')).toMatchObject({ state: 'exited', exitCode: 4 });
    expect(processes.read('p1', { from: 0 }).text).toBe('up\ngone\n');
    expect(countRuns(place)).toBe(1);
    // The last holder has released its resources, and its end is in the log.
    await run({ ...rest, session: killed.session! });
    expect(ofType(await eventsOf(place, killed.session!), 'process.changed').at(-1)).toMatchObject({ exitCode: 4 });
    expect(existsSync(join(place.workspace, '.klaus'))).toBe(false);
    expect(await eventually(() => runningIn(place).length === 0)).toBe(true);
    return 'found again';
  } finally {
    await createProcesses({ home: place.home }).remove(killed.session!);
  }
}

/** The complete suite has every moment for both kinds of process; `npm test` has half of them for each. */
const IS_COMPLETE = process.env['KLAUS_KILLS'] !== undefined;

describe.each([
  [true, 'marked to survive'],
  [false, 'not marked'],
])('a Klaus that is killed, with a process that is %s (%s)', (survive) => {
  const choose = <T>(moments: readonly T[]): T[] =>
    moments.filter((_, index) => IS_COMPLETE || (index % 2 === 0) === survive);

  for (const { cases, tags } of splitCases(
    choose(['process.json', 'protection.json', 'identity.json', 'started', 'output.0']),
    1,
  ))
    test.each(cases)('as soon as there is %s', { tags }, async (file) => {
      const what = await killAndResume(survive, { dieAtProcessFile: file });
      const isBegun = file === 'started' || file === 'output.0';
      if (isBegun) expect(what).toBe(survive ? 'found again' : 'ended with its Klaus');
    });

  test('between the start and its result', async () => {
    const what = await killAndResume(survive, { dieAfterEffect: 'run_command' });
    expect(what).toBe(survive ? 'found again' : 'ended with its Klaus');
  });

  for (const { cases, tags } of splitCases(
    choose(['gate.decided', 'tool.started', 'process.changed', 'turn.started'] as const),
    1,
  ))
    test.each(cases)('as soon as %s is durable', { tags }, async (type) => {
      const seq = undisturbed.findLastIndex((event) => event.type === type && event.seq < second) + 1;
      const what = await killAndResume(survive, { dieAfterSeq: seq });
      if (type === 'gate.decided') expect(what).toBe('never started');
      // The intent is durable, and it is known whether the process has begun.
      else if (type !== 'tool.started') expect(what).toBe(survive ? 'found again' : 'ended with its Klaus');
    });

  const count = Number(process.env['KLAUS_KILLS'] ?? 1);
  test('at random moments', { tags: ['long'], timeout: count * 30_000 }, async () => {
    const failures: string[] = [];
    for (let index = 0; index < count; index++) {
      const afterMs = Math.random() * 1_500;
      try {
        await killAndResume(survive, {}, afterMs);
      } catch (error) {
        failures.push(`after ${afterMs} ms: ${(error as Error).message}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

test(
  'a Klaus process that has started one exits by itself, and the background process continues',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    const { session, signal } = await run(toOrder(place, true));
    const processes = createProcesses({ home: place.home });
    try {
      expect(signal).toBeNull();
      expect(processes.open(session!).find('p1')).toMatchObject({ state: 'running' });
    } finally {
      await processes.remove(session!);
    }
  },
);

test(
  'a second Klaus process that takes the session ends unmarked processes of the first one, which still runs',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    const order = toOrder(place, false);
    const child = execFile(process.execPath, [PROGRAM, JSON.stringify({ ...order, linger: true })]);
    let said = '';
    await new Promise<void>((resolve) =>
      child.stdout!.on('data', (text: string) => {
        said += text;
        if (said.includes('"result"')) resolve();
      }),
    );
    const session = /"session":"(\w+)"/.exec(said)![1]!;
    const processes = createProcesses({ home: place.home }).open(session);
    try {
      expect(processes.find('p1')).toMatchObject({ state: 'running' });
      const { prompt: _, ...rest } = order;
      await run({ ...rest, session });
      expect(processes.find('p1')).toMatchObject({ state: 'stopped' });
      expect(child.exitCode).toBeNull();
      expect(runningIn(place).filter((pid) => pid !== child.pid)).toEqual([]);
    } finally {
      child.kill('SIGKILL');
      await createProcesses({ home: place.home }).remove(session);
    }
  },
);
