// Covers core/agent/calls, core/agent/loop: approvals over crashes and by several processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Script } from '@klaus/adapters/models';
import { createSqliteStore } from '@klaus/adapters/store';
import type { Event } from '@klaus/sdk';
import { expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { ofType } from '../fixtures/engine.ts';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import type { Order } from './klaus-process.ts';

const PROGRAM = join(import.meta.dirname, 'klaus-process.ts');

/** A shell command that writes a line each time it runs, so that a second run is noticed. */
const ONE_EFFECT: Script = {
  steps: [
    { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'echo ran >> ran.log' } }] } },
    { when: { turn: 1, result: 'rejected' }, reply: { text: 'As you prefer.' } },
    { when: { turn: 1 }, reply: { text: 'It ran.' } },
  ],
};

interface Parked {
  session: string;
  approval: string;
  child: ReturnType<typeof spawn>;
  ended: Promise<unknown>;
}

/** Starts a run in a separate process that parks at the question and stays alive. */
async function park(place: TestHome, url: string, mode: 'ask' | 'edits' = 'edits'): Promise<Parked> {
  const order: Order = {
    home: place.home,
    workspace: place.workspace,
    url,
    prompt: 'run it',
    onAsk: 'wait',
    mode,
    stay: true,
  };
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let session = '';
  for await (const line of createInterface({ input: child.stdout! })) {
    const said = JSON.parse(line) as { session?: string; parked?: string[] };
    session = said.session ?? session;
    if (said.parked) return { session, approval: said.parked[0]!, child, ended };
  }
  throw new Error('the run ended without a question');
}

async function eventsOf(place: TestHome, session: string): Promise<Event[]> {
  using store = createSqliteStore({ home: place.home });
  return [...store.view.events(session)];
}

function linesOf(place: TestHome): number {
  const file = join(place.workspace, 'ran.log');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).length : 0;
}

/** The script where `klaus` finds the session's model, `scripted/test`, when it resumes the session. */
function putScript(place: TestHome): void {
  writeFileSync(join(place.workspace, 'test'), JSON.stringify(ONE_EFFECT));
}

function expectOnce(events: Event[], answer: 'approved' | 'rejected'): void {
  expect(ofType(events, 'approval.asked')).toHaveLength(1);
  expect(ofType(events, 'approval.answered').map((event) => event.answer)).toEqual([answer]);
  expect(ofType(events, 'tool.finished')).toHaveLength(1);
  expect(ofType(events, 'run.finished')).toHaveLength(1);
}

test('an approval from a second process resumes the first one exactly once', async () => {
  using place = createTestHome();
  await using server = await startServer(ONE_EFFECT);
  const first = await park(place, server.url);
  expect(linesOf(place)).toBe(0);
  using store = createSqliteStore({ home: place.home });
  const command = {
    type: 'approve',
    id: 'one-id',
    approval: first.approval,
    answer: 'approved',
    by: 'second',
  } as const;
  await store.send(first.session, command);
  await store.send(first.session, command);
  await store.send(first.session, { ...command, id: 'another-id', answer: 'rejected' });
  await first.ended;
  const events = await eventsOf(place, first.session);
  expectOnce(events, 'approved');
  expect(linesOf(place)).toBe(1);
  expect(ofType(events, 'run.finished')[0]!.outcome).toBe('done');
});

test('an approval after the end of the first process is used exactly once by the process that gives it', async () => {
  using place = createTestHome();
  await using server = await startServer(ONE_EFFECT);
  const first = await park(place, server.url);
  first.child.kill('SIGKILL');
  await first.ended;
  // No process holds the session or waits, so the answer resumes it.
  using store = createSqliteStore({ home: place.home });
  expect(await store.isClaimed(first.session)).toBe(false);
  const order: Order = { home: place.home, workspace: place.workspace, url: server.url, session: first.session };
  await store.send(first.session, {
    type: 'approve',
    id: 'x',
    approval: first.approval,
    answer: 'approved',
    by: 'later',
  });
  const resume = () => once(spawn(process.execPath, [PROGRAM, JSON.stringify(order)], { stdio: 'ignore' }), 'close');
  await Promise.all([resume(), resume()]);
  expectOnce(await eventsOf(place, first.session), 'approved');
  expect(linesOf(place)).toBe(1);
});

test('of concurrent klaus approve and klaus reject only one has an effect', async () => {
  using place = createTestHome();
  await using server = await startServer(ONE_EFFECT);
  const first = await park(place, server.url);
  first.child.kill('SIGKILL');
  await first.ended;
  putScript(place);
  const ended = await Promise.all([
    runKlaus(['approve', first.approval], { place }),
    runKlaus(['reject', first.approval], { place }),
  ]);
  const events = await eventsOf(place, first.session);
  const [answered] = ofType(events, 'approval.answered');
  expect(ofType(events, 'approval.answered')).toHaveLength(1);
  const isApproved = answered!.answer === 'approved';
  expect(linesOf(place)).toBe(isApproved ? 1 : 0);
  // The process that resumed the run exits with its outcome: done, or denied without an effect.
  expect(ended.map(({ code }) => code)).toContain(isApproved ? 0 : 6);
});

test('a question about a file that has changed is asked again with the new content', async () => {
  using place = createTestHome({ 'a.txt': 'one\n' });
  const edit: Script = {
    steps: [
      { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'two\n' } }] } },
      { when: { turn: 1 }, reply: { text: 'Written.' } },
    ],
  };
  await using server = await startServer(edit);
  const first = await park(place, server.url, 'ask');
  first.child.kill('SIGKILL');
  await first.ended;
  writeFileSync(join(place.workspace, 'a.txt'), 'changed by the user\n');
  using store = createSqliteStore({ home: place.home });
  await store.send(first.session, {
    type: 'approve',
    id: 'x',
    approval: first.approval,
    answer: 'approved',
    by: 'user',
  });
  const order: Order = { home: place.home, workspace: place.workspace, url: server.url, session: first.session };
  await once(spawn(process.execPath, [PROGRAM, JSON.stringify(order)], { stdio: 'ignore' }), 'close');
  const asked = ofType(await eventsOf(place, first.session), 'approval.asked');
  expect(asked).toHaveLength(2);
  expect(asked[1]!.subject).toMatchObject({ diff: expect.stringContaining('-changed by the user') });
  expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('changed by the user\n');
});
