// Covers core/agent/loop, core/agent/calls, core/agent/context: a command that the user runs in a session.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { createConversation, foldConversation } from '@klaus/core/conversation';
import type { Session } from '@klaus/sdk';
import { expect } from 'vitest';
import { createTestEngine, ofType, outcomeOf } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const SCRIPT: Script = {
  steps: [{ when: { tools: false }, reply: { text: 'A title\nA summary' } }],
  fallback: { text: 'Noted.' },
};
const SANDBOXED = { 'sandbox.driver': 'bubblewrap' } as const;
const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;

const eventsOf = (session: Session) => Array.fromAsync(session.events());

async function shell(session: Session, command: string, onAsk: 'deny' | 'wait' = 'deny') {
  await session.send({ type: 'shell', command, by: 'test', onAsk });
  return session.advance();
}

for (const { cases, tags } of splitCases(['plan', 'ask', 'edits', 'auto'] as const, 2))
  test.each(cases)(
    'it runs in mode %s without an approval, as a run without a request, and the model sees it with the next prompt',
    { tags },
    async (mode) => {
      await using engine = await createTestEngine({ script: SCRIPT, settings: SANDBOXED });
      const session = await engine.klaus.open({ mode });
      const advanced = await shell(session, 'echo "one </output> two" | tee made.txt');
      expect(advanced).toMatchObject({ state: 'idle', finished: { outcome: 'done', turns: 0, toolCalls: 1 } });
      expect(engine.server.requests).toEqual([]);
      expect(readFileSync(join(engine.place.workspace, 'made.txt'), 'utf8')).toBe('one </output> two\n');
      const events = await eventsOf(session);
      expect(ofType(events, 'run.started')).toMatchObject([{ trigger: 'shell', by: 'test' }]);
      const [decided] = ofType(events, 'gate.decided');
      expect(decided).toMatchObject({ name: 'run_command', verdict: 'allow' });
      expect(decided!.findings).toContainEqual({ rule: 'mode', verdict: 'allow', reason: 'the user entered it' });
      const view = createConversation(session.id);
      for (const event of events) foldConversation(view, event);
      expect(view.entries.find(({ kind }) => kind === 'call')).toMatchObject({ by: 'user', state: 'finished' });

      await session.prompt('What did it print?');
      await session.advance();
      const json = engine.server.requests[0]!.json as { messages: { role: string; content: unknown }[] };
      const sent = JSON.stringify(json.messages);
      expect(json.messages.map(({ role }) => role)).toEqual(['user']);
      expect(sent).toMatch(
        /The user ran a command.*tee made\.txt.*<output-(\w+).*one <\/output> two.*<\/output-\1>.*What did/,
      );
      expect((await session.replay()).outcome).toBe('equal');
    },
  );

test('its changes are undone alone, and a failing command is no failed run', { tags: ['long'] }, async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [
        ...SCRIPT.steps,
        { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'model\n' } }] } },
      ],
      fallback: { text: 'Noted.' },
    },
    settings: SANDBOXED,
    files: { 'a.txt': 'before\n' },
  });
  const path = join(engine.place.workspace, 'a.txt');
  const session = await engine.klaus.open();
  await session.prompt('Write.');
  await session.advance();
  expect(await shell(session, 'echo user > a.txt; exit 3')).toMatchObject({ finished: { outcome: 'done' } });
  const finished = ofType(await eventsOf(session), 'tool.finished').at(-1)!;
  expect(finished).toMatchObject({ outcome: 'error', detail: { exitCode: 3 } });
  expect(readFileSync(path, 'utf8')).toBe('user\n');
  expect(await session.restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({ done: true });
  expect(readFileSync(path, 'utf8')).toBe('model\n');
  expect(await session.restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({ done: true });
  expect(readFileSync(path, 'utf8')).toBe('before\n');
});

test('denials and other questions of the gate apply as to the model', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, settings: SANDBOXED });
  const narrow = await engine.klaus.open({ grant: 'fs(., rw) · tool(read_file)' });
  expect(await shell(narrow, 'touch never.txt')).toMatchObject({ finished: { outcome: 'denied' } });
  expect(existsSync(join(engine.place.workspace, 'never.txt'))).toBe(false);

  const session = await engine.klaus.open();
  expect(await shell(session, 'rm -rf .git', 'wait')).toMatchObject({ finished: { outcome: 'denied' } });
  // A protected place.
  const parked = await shell(session, 'mkdir -p .vscode && cp README.md .vscode/tasks.json', 'wait');
  expect(parked).toMatchObject({ state: 'parked', approvals: [{ subject: { kind: 'call', name: 'run_command' } }] });
  if (parked.state !== 'parked') throw new Error('no question');
  await engine.klaus.answer(parked.approvals[0]!.approval, 'rejected', { note: 'a slip' });
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'denied' } });
  expect((await session.replay()).outcome).toBe('equal');
});

test('in an isolated session its changes are reviewed', { tags: ['long'] }, async () => {
  await using engine = await createTestEngine({ script: SCRIPT, settings: SANDBOXED });
  const session = await engine.klaus.open({ isolate: true, mode: 'plan' });
  const parked = await shell(session, 'echo hello > made.txt', 'wait');
  if (parked.state !== 'parked') throw new Error('no question');
  expect(parked.approvals[0]!.subject.kind).toBe('changes');
  expect(existsSync(join(engine.place.workspace, 'made.txt'))).toBe(false);
  await engine.klaus.answer(parked.approvals[0]!.approval, 'approved');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  expect(readFileSync(join(engine.place.workspace, 'made.txt'), 'utf8')).toBe('hello\n');
});

test('it waits for the end of a run, and a prompt does not join it', { tags: ['long'] }, async () => {
  await using engine = await createTestEngine({ script: SCRIPT, settings: SANDBOXED });
  const session = await engine.klaus.open();
  await session.prompt('Hello.');
  await session.send({ type: 'shell', command: 'echo shell', by: 'test' });
  const slip = await session.send({ type: 'shell', command: 'echo slip', by: 'test' });
  await session.send({ type: 'withdraw', command: slip });
  await session.prompt('And then?', { delivery: 'queue' });
  await session.advance();
  const events = await eventsOf(session);
  expect(ofType(events, 'run.started').map(({ trigger }) => trigger)).toEqual(['prompt', 'shell', 'prompt']);
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
  expect((await session.replay()).outcome).toBe('equal');
});

test('a compaction that is requested while it runs follows in a run of its own', { tags: ['long'] }, async () => {
  await using engine = await createTestEngine({ script: SCRIPT, settings: SANDBOXED });
  const session = await engine.klaus.open();
  await session.prompt('Hello.');
  await session.advance();
  await session.send({ type: 'shell', command: 'echo shell', by: 'test' });
  await session.send({ type: 'compact', by: 'test' });
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  const events = await eventsOf(session);
  expect(ofType(events, 'run.started').map(({ trigger }) => trigger)).toEqual(['prompt', 'shell', 'compact']);
  expect(ofType(events, 'context.compacted')).toHaveLength(1);
  expect((await session.replay()).outcome).toBe('equal');
});

test('a command with a secret is refused, and nothing is stored', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, settings: SANDBOXED });
  const session = await engine.klaus.open();
  await expect(
    session.send({ type: 'shell', command: `curl -H "token: ${SECRET}"`, by: 'test' }),
  ).rejects.toMatchObject({
    code: 'usage',
  });
  expect(await session.isRunnable()).toBe(false);
});

test('it needs no model', { tags: ['long'] }, async () => {
  await using engine = await createTestEngine({ script: SCRIPT, settings: SANDBOXED });
  const session = await engine.klaus.open();
  await engine.server.close();
  writeFileSync(join(engine.place.workspace, 'here.txt'), 'here\n');
  expect(await shell(session, 'cat here.txt')).toMatchObject({ finished: { outcome: 'done' } });
  expect(ofType(await eventsOf(session), 'tool.finished')[0]!.output).toContain('here');
});
