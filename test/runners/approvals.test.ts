// Covers core/agent/runner, apps/cli/run: approvals and other commands while an agent of another program works.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, EventOf, EventType, Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createDrivenEngine, toSaid } from '../fixtures/acp-agent.ts';
import { ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';

/** Opens a session, sends the prompt, and works on it until the promise resolves. */
async function begin(
  { klaus }: TestEngine,
  prompt: string,
  options: { mode?: 'ask' | 'plan'; onAsk?: 'deny' } = {},
): Promise<{
  session: Session;
  ended: Promise<Event[]>;
  next: <T extends EventType>(type: T, count?: number) => Promise<EventOf<T>>;
}> {
  const { onAsk = 'wait', ...rest } = options;
  const session = await klaus.open({ agent: 'other', trustCommand: true, ...rest });
  const seen: Event[] = [];
  const waiting = new Set<() => void>();
  session.subscribe(0, (event) => {
    seen.push(event);
    for (const look of waiting) look();
  });
  await session.prompt(prompt, { onAsk });
  const ended = session.advance().then(() => Array.fromAsync(session.events()));
  return {
    session,
    ended,
    next: (type, count = 1) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = ofType(seen, type)[count - 1];
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

test('the agent waits for the answer of the user, and the session is held', async () => {
  await using engine = await createDrivenEngine();
  const { session, ended, next } = await begin(
    engine,
    'permit fetch https://example.com/x\npermit other magic\nsay end',
  );
  const first = await next('approval.asked');
  expect(first).toMatchObject({ held: true, subject: { kind: 'call', name: 'agent_fetch' } });
  expect(await engine.klaus.store.isClaimed(session.id)).toBe(true);
  await engine.klaus.answer(first.approval, 'approved', { by: 'test' });
  const second = await next('approval.asked', 2);
  await engine.klaus.answer(second.approval, 'rejected', { by: 'test', note: 'no magic' });
  const events = await ended;
  expect(toSaid(events)).toBe('permission: once\npermission: rejected\nend\n');
  expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['ok', 'denied']);
});

test('an approval for the session answers the same question again', async () => {
  await using engine = await createDrivenEngine();
  const { ended, next } = await begin(engine, 'permit execute git push\npermit execute git push');
  const first = await next('approval.asked');
  await engine.klaus.answer(first.approval, 'approved', { by: 'test', scope: 'session' });
  const events = await ended;
  expect(toSaid(events)).toBe('permission: once\npermission: once\n');
  expect(ofType(events, 'approval.asked')).toHaveLength(1);
});

test('in mode ask, a file that the agent writes through Klaus is approved first', async () => {
  await using engine = await createDrivenEngine({ files: { 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n' } });
  const file = join(engine.place.workspace, 'a.txt');
  const { ended, next } = await begin(engine, `write ${file} ONE_LINE\nsay end`, { mode: 'ask' });
  const { approval, subject } = await next('approval.asked');
  expect(subject).toMatchObject({ kind: 'call', name: 'write_file' });
  expect(readFileSync(file, 'utf8')).toContain('ten');
  await engine.klaus.answer(approval, 'approved', { by: 'test' });
  expect(toSaid(await ended)).toContain('written');
  // A complete write keeps the line break at the end of the file.
  expect(readFileSync(file, 'utf8')).toBe('ONE_LINE\n');
});

test('a cancel stops the agent, also one that does not react', { timeout: 30_000, tags: ['long'] }, async () => {
  for (const step of ['wait', 'ignore']) {
    await using engine = await createDrivenEngine();
    const { session, ended, next } = await begin(engine, `open something\nsay before\n${step}`);
    await next('tool.started');
    await session.send({ type: 'cancel', by: 'test' });
    const events = await ended;
    expect(outcomeOf(events)).toMatchObject({ outcome: 'cancelled', by: 'test' });
    expect(ofType(events, 'tool.finished')).toMatchObject([{ outcome: 'unknown' }]);
    expect(ofType(events, 'turn.finished')).toMatchObject([{ stopReason: 'cancelled' }]);
  }
});

test('a cancel during a question ends it', async () => {
  await using engine = await createDrivenEngine();
  const { session, ended, next } = await begin(engine, 'permit other magic\nsay end');
  await next('approval.asked');
  await session.send({ type: 'cancel', by: 'test' });
  const events = await ended;
  expect(ofType(events, 'approval.answered')).toMatchObject([{ answer: 'superseded' }]);
  expect(outcomeOf(events)?.outcome).toBe('cancelled');
  expect(toSaid(events)).not.toContain('end');
});

test('a message during a turn is sent when the turn has ended, and a queued one starts a run', async () => {
  await using engine = await createDrivenEngine();
  const { session, ended, next } = await begin(engine, 'permit other magic\nsay one');
  const { approval } = await next('approval.asked');
  await session.prompt('say queued', { delivery: 'queue' });
  await session.prompt('say steered');
  await engine.klaus.answer(approval, 'rejected', { by: 'test' });
  const events = await ended;
  expect(toSaid(events)).toBe('permission: rejected\none\nsteered\nqueued\n');
  expect(ofType(events, 'run.finished')).toHaveLength(2);
  // One process of the agent served all turns.
  expect(ofType(events, 'runner.opened')).toHaveLength(1);
});

test('a revocation ends the turn, and the agent continues with less', async () => {
  await using engine = await createDrivenEngine();
  const { session, ended, next } = await begin(engine, 'permit other magic\nsay end');
  await next('approval.asked');
  await session.revoke(['exec']);
  const events = await ended;
  expect(ofType(events, 'grant.changed')).toHaveLength(1);
  expect(toSaid(events)).toContain('I continue.');
  expect(ofType(events, 'runner.opened').at(-1)).toMatchObject({ resumed: true });
});

test('a higher limit lets the agent continue', async () => {
  await using engine = await createDrivenEngine();
  const session = await engine.klaus.open({ agent: 'other', trustCommand: true, limits: { toolCalls: 1 } });
  await session.prompt('permit execute ls\npermit execute pwd', { onAsk: 'wait' });
  expect(await session.advance()).toMatchObject({ state: 'parked', approvals: [{ subject: { kind: 'limit' } }] });
  const [asked] = ofType(await Array.fromAsync(session.events()), 'approval.asked');
  await engine.klaus.answer(asked!.approval, 'approved', { by: 'test', raise: true });
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(outcomeOf(events)?.outcome).toBe('done');
  expect(toSaid(events)).toContain('I continue.');
});
