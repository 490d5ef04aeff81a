// Covers core/agent/replay: replay gives the same requests and events.
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createModelServer, createModels, type Script } from '@klaus/adapters/models';
import { createToolRegistry, type ReplayOptions } from '@klaus/core/agent';
import { replay } from '@klaus/core/replay';
import { builtinTools } from '@klaus/adapters/tools';
import type { Event, ReplayedRequest, Session } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { createProject, TWELVE_TOOLS } from '../faults/twelve-tools.ts';

/** Replays a log and expects equal requests and events. */
async function expectEqual(session: Session): Promise<ReplayedRequest[]> {
  const requests: ReplayedRequest[] = [];
  const replayed = await session.replay({ onRequest: (request) => requests.push(request) });
  expect(replayed).toMatchObject({ outcome: 'equal' });
  const announced = ['turn.started', 'model.requested'];
  expect(replayed.requests).toBe(
    (await Array.fromAsync(session.events())).filter(({ type }) => announced.includes(type)).length,
  );
  expect(replayed.events + replayed.skipped + replayed.inherited).toBe(
    (await Array.fromAsync(session.events())).length,
  );
  return requests;
}

/** The HTTP bodies of the replayed requests, as the real client sends them. */
async function toBodies(requests: readonly ReplayedRequest[], wire: Script['wire']): Promise<string[]> {
  const server = await createModelServer({ script: { steps: [], fallback: { text: 'ok' } } });
  const models = createModels({
    keys: {},
    scripted: async () => ({ url: server.url, wire }),
  } as Parameters<typeof createModels>[0]);
  for (const { model: name, request } of requests) {
    const model = await models.resolve(name);
    for await (const _ of model.stream(request, { signal: new AbortController().signal }));
  }
  const bodies = postsOf(server.requests);
  await server.close();
  return bodies;
}

function postsOf(requests: TestEngine['server']['requests']): string[] {
  return requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
}

describe('a recorded session is replayed with the same requests', () => {
  test.each(['anthropic', 'openai'] as const)(
    'byte for byte as the server got them, in the wire of %s',
    async (wire) => {
      await using engine = await createTestEngine({ script: { ...TWELVE_TOOLS, wire } });
      rmSync(engine.place.workspace, { recursive: true });
      createProject(engine.place.workspace);
      writeFileSync(join(engine.place.workspace, 'AGENTS.md'), 'Keep it short.\n');
      const session = await engine.klaus.open();
      await session.prompt('do twelve things');
      expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
      const requests = await expectEqual(session);
      const sent = postsOf(engine.server.requests);
      expect(sent.length).toBeGreaterThan(9);
      expect(await toBodies(requests, wire)).toEqual(sent);
    },
  );

  test(
    'with an approval, an undo, another prompt, a broken stream and a crash between them',
    { tags: ['long'] },
    async () => {
      const edit = { name: 'edit_file', input: { path: 'a.txt', edits: [{ old: 'one', new: 'two' }] } };
      await using engine = await createTestEngine({
        files: { 'a.txt': 'one\n' },
        script: {
          steps: [
            { when: { tools: false }, reply: { text: 'A title\nA summary' } },
            {
              when: { turn: 0 },
              reply: {
                text: 'I look.',
                calls: [
                  { name: 'read_file', input: { path: 'a.txt' } },
                  { name: 'list_files', input: {} },
                ],
              },
              faults: [
                { kind: 'reset', after: 1 },
                { kind: 'status', status: 529 },
              ],
            },
            { when: { turn: 1 }, reply: { calls: [edit] } },
            { when: { turn: 2 }, reply: { text: 'Edited. '.repeat(80) } },
            { when: { turn: 3 }, reply: { calls: [{ name: 'run_command', input: { command: 'echo x > b.txt' } }] } },
            { when: { turn: 4 }, reply: { text: 'Ran.' } },
          ],
        },
      });
      const session = await engine.klaus.open({ mode: 'ask' });
      await session.prompt('please change the file a.txt, and report what it contained before', {
        onAsk: 'wait',
      });
      const parked = await session.advance();
      if (parked.state !== 'parked') throw new Error('nothing was asked');
      await engine.klaus.answer(parked.approvals[0]!.approval, 'approved', { note: 'go' });
      expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
      await session.restore({ kind: 'undo' }, { by: 'test' });
      await session.send({ type: 'change', mode: 'auto' });
      await session.prompt('now run it');
      const leave = new AbortController();
      session.subscribe(0, (event) => event.type === 'tool.started' && event.name === 'run_command' && leave.abort());
      await session.advance({ signal: leave.signal });
      await session.advance();
      expect(ofType(await Array.fromAsync(session.events()), 'tool.finished').at(-1)).toMatchObject({
        outcome: 'unknown',
      });
      expect(ofType(await Array.fromAsync(session.events()), 'model.attempted').length).toBeGreaterThan(6);
      const requests = await expectEqual(session);
      expect(requests.map(({ purpose }) => purpose)).toContain('title');
      expect(await toBodies(requests, undefined)).toEqual(postsOf(engine.server.requests));
    },
  );

  test('up to the end of a log that ends within a run', async () => {
    await using engine = await createTestEngine({ script: SMALL });
    const session = await runSmall(engine);
    const events = await Array.fromAsync(session.events());
    for (let length = 2; length < events.length; length++) {
      // A log that ends within a transaction is not valid.
      const { outcome } = await replayOf(engine, events.slice(0, length));
      const isComplete = events[length]?.at !== events[length - 1]?.at;
      expect(isComplete ? outcome : 'equal', `${length} events`).toBe('equal');
    }
  });
});

const SMALL: Script = {
  steps: [
    { when: { turn: 0 }, reply: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] } },
    { when: { turn: 1 }, reply: { calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'b' } }] } },
    { when: { turn: 2 }, reply: { text: 'Done.' } },
  ],
};

async function runSmall({ klaus }: TestEngine): Promise<Session> {
  const session = await klaus.open();
  await session.prompt('go');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  return session;
}

function replayOf({ klaus }: TestEngine, events: readonly Event[]) {
  const { maxRetries, retry, compactAt } = klaus.configuration.values;
  const settings: ReplayOptions['settings'] = {
    maxRetries,
    retry,
    compactAt,
    approvalTtlMs: 1_000,
    maxOutputTokens: 1,
    maxToolOutputContext: 1,
    maxSearchResults: 1,
    execLimits: { timeoutMs: 1, memoryMb: 1, cpus: 1, processes: 1 },
    gitIdentity: { name: '', email: '' },
    deploy: { netlifyUrl: '', vercelUrl: '', cloudfrontUrl: '', retryMs: 1 },
    secretPatterns: [],
    hiddenPatterns: [],
    endProcesses: 'close',
  };
  const ids = { ulid: () => toUlid(counter++), digest, random: () => 0.5 };
  const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return replay({ events, tools: createToolRegistry(builtinTools), settings, ids, idle });
}

const toUlid = (count: number): string => `01HZZZZZZZZZZZZZZZZZZ${String(count % 90_000).padStart(5, '0')}`;
let counter = 0;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('differences from the log are reported', () => {
  test('a different result gives a different request in the next turn', async () => {
    await using engine = await createTestEngine({ script: SMALL });
    const events = await Array.fromAsync((await runSmall(engine)).events());
    const changed = events.map((event) =>
      event.type === 'tool.finished' && event.name === 'read_file' ? { ...event, output: 'forged' } : event,
    );
    const turn = ofType(events, 'turn.started').find((event) => event.turn === 2)!;
    expect(await replayOf(engine, changed)).toMatchObject({
      outcome: 'different',
      difference: { kind: 'request', seq: turn.seq, turn: 2, field: 'requestHash', recorded: turn.requestHash },
    });
  });

  test('a different end of the run is reported with both values', async () => {
    await using engine = await createTestEngine({ script: SMALL });
    const events = await Array.fromAsync((await runSmall(engine)).events());
    const changed = events.map((event): Event =>
      event.type === 'run.finished' ? { ...event, outcome: 'failed' } : event,
    );
    expect(await replayOf(engine, changed)).toMatchObject({
      outcome: 'different',
      difference: { type: 'run.finished', field: 'outcome', recorded: 'failed', replayed: 'done' },
    });
  });

  test('a log without one event is not equal; the replay of one with a repeated or moved event ends', async () => {
    await using engine = await createTestEngine({ script: SMALL });
    const events = await Array.fromAsync((await runSmall(engine)).events());
    const essential = new Set(['turn.started', 'turn.finished', 'gate.decided', 'tool.started', 'tool.finished']);
    for (let at = 1; at < events.length - 1; at++) {
      const leftOut = await replayOf(engine, events.toSpliced(at, 1));
      expect(essential.has(events[at]!.type) && leftOut.outcome === 'equal', `${events[at]!.type} left out`).toBe(
        false,
      );
      await replayOf(engine, events.toSpliced(at, 0, events[at]!));
      await replayOf(engine, events.toSpliced(at, 2, events[at + 1]!, events[at]!));
    }
  });

  test('a log of tools that this engine does not have is not equal', async () => {
    await using engine = await createTestEngine({ script: SMALL });
    const [opened, ...rest] = await Array.fromAsync((await runSmall(engine)).events());
    const strange = { ...opened, tools: ['read_file', 'teleport'] } as Event;
    expect(await replayOf(engine, [strange, ...rest])).toMatchObject({
      outcome: 'unplayable',
      reason: expect.stringContaining('teleport'),
    });
  });
});
