// Covers core/agent/model, sdk/open, adapters/models: effort and temperature of a session.
import type { Script } from '@klaus/adapters/models';
import type { Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';

const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title\nA summary' } },
    { when: { user: 'begin', turn: 0 }, reply: { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] } },
  ],
  fallback: { text: 'Done.' },
};

const FILES = { 'a.txt': 'one\n' };

async function run(session: Session, prompt: string): Promise<void> {
  await session.prompt(prompt);
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
}

async function noticesOf(session: Session): Promise<string[]> {
  return ofType(await Array.fromAsync(session.events()), 'notice').map(({ level, text }) => `${level} ${text}`);
}

/** The requests of turns. Titles are requested without tools. */
function turnsOf({ server }: TestEngine): Record<string, unknown>[] {
  return server.requests.map(({ json }) => json as Record<string, unknown>).filter(({ tools }) => tools !== undefined);
}

test('every request of a session has its effort; its unsupported temperature is reported once for each model', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, files: FILES });
  const session = await engine.klaus.open({ effort: 'max', temperature: 0.5 });
  await run(session, 'begin');
  await run(session, 'continue');
  const first = expect.stringMatching(/^warn .*scripted\/test.*temperature/) as string;
  expect(await noticesOf(session)).toEqual([first]);
  await session.send({ type: 'change', model: 'scripted/other' });
  await run(session, 'with another model');
  const second = expect.stringMatching(/^warn .*scripted\/other.*temperature/) as string;
  expect(await noticesOf(session)).toEqual([first, second]);
  await session.send({ type: 'change', model: 'scripted/test' });
  await run(session, 'with the first model');
  expect(await noticesOf(session)).toEqual([first, second]);
  expect(turnsOf(engine)).toHaveLength(5);
  for (const body of turnsOf(engine)) {
    expect(body).toMatchObject({ output_config: { effort: 'max' } });
    expect(body).not.toHaveProperty('temperature');
  }
  for (const { json } of engine.server.requests) {
    if ((json as { tools?: unknown }).tools === undefined) expect(json).not.toHaveProperty('output_config');
  }
  expect(await session.replay()).toMatchObject({ outcome: 'equal', isCutOff: false });
});

test('the effort of a session changes from the next request on, also in its fork', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, files: FILES });
  const session = await engine.klaus.open({ effort: 'low' });
  await run(session, 'continue');
  await session.send({ type: 'change', effort: 'high' });
  expect(await session.applyQueuedCommands()).toBe(true);
  await run(session, 'continue');
  const { session: fork } = await engine.klaus.fork(session.id);
  await run(fork, 'continue');
  expect(turnsOf(engine).map((body) => (body['output_config'] as { effort: string }).effort)).toEqual([
    'low',
    'high',
    'high',
  ]);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('a fork and a resumed session use the same values', async () => {
  await using engine = await createTestEngine({ script: { ...SCRIPT, wire: 'openai' }, files: FILES });
  const { klaus } = engine;
  const original = await klaus.open({ effort: 'low', temperature: 0 });
  await run(original, 'begin');
  const { session } = await klaus.fork(original.id);
  await run(session, 'continue');
  await run(await klaus.session(original.id), 'continue');
  expect(turnsOf(engine)).toHaveLength(4);
  for (const body of turnsOf(engine)) expect(body).toMatchObject({ reasoning: { effort: 'low' }, temperature: 0 });
  for (const each of [original, session]) {
    expect((await Array.fromAsync(each.events()))[0]).toMatchObject({ effort: 'low', temperature: 0 });
    expect(await noticesOf(each)).toEqual([]);
    expect(await each.replay()).toMatchObject({ outcome: 'equal' });
  }
});

test('the settings apply to a session that is opened without values', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, files: FILES, settings: { effort: 'high' } });
  await run(await engine.klaus.open(), 'continue');
  await run(await engine.klaus.open({ effort: 'low' }), 'continue');
  expect(turnsOf(engine).map((body) => body['output_config'])).toEqual([{ effort: 'high' }, { effort: 'low' }]);
});

test('without values neither the log nor a request has a trace of them', async () => {
  await using engine = await createTestEngine({ script: SCRIPT, files: FILES });
  const session = await engine.klaus.open();
  await run(session, 'begin');
  expect(await noticesOf(session)).toEqual([]);
  const [opened] = await Array.fromAsync(session.events());
  const [turn] = ofType(await Array.fromAsync(session.events()), 'turn.started');
  for (const fields of [opened, turn!.modelInfo, ...turnsOf(engine)]) {
    for (const field of ['effort', 'efforts', 'temperature', 'maxTemperature', 'output_config']) {
      expect(fields).not.toHaveProperty(field);
    }
  }
});
