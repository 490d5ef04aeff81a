// Covers adapters/runners, core/agent/runner, adapters/sandboxes/process: the process of an agent in the sandbox.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Event, OpenOptions } from '@klaus/sdk';
import { expect } from 'vitest';
import { createDrivenEngine, runAgent, toSaid, type DrivenOptions } from '../fixtures/acp-agent.ts';
import { ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const FULL = 'capabilities: [file-operations, code-execution, web-access]';

function createEngine(options: DrivenOptions = {}): Promise<TestEngine> {
  return createDrivenEngine({ env: {}, ...options, settings: { 'sandbox.driver': 'bubblewrap', ...options.settings } });
}

async function say(
  engine: TestEngine,
  prompt: string,
  options?: OpenOptions,
): Promise<{ id: string; said: string; events: Event[] }> {
  const { id, events } = await runAgent(engine, prompt, options);
  return { id, events, said: toSaid(events) };
}

test('its process sees and changes only what the grant allows', async () => {
  await using engine = await createEngine();
  const { workspace } = engine.place;
  const outside = join(workspace, '../user/secret.txt');
  writeFileSync(outside, 'secret');
  const { said, events } = await say(
    engine,
    [`act ${workspace}/in.txt yes`, `act ${workspace}/../out.txt no`, `act ${workspace}/.git/hooks/pre-commit no`].join(
      '\n',
    ),
  );
  expect(readFileSync(join(workspace, 'in.txt'), 'utf8')).toBe('yes');
  expect(existsSync(join(workspace, '../out.txt'))).toBe(false);
  expect(existsSync(join(workspace, '.git/hooks/pre-commit'))).toBe(false);
  expect(said).toContain('written by itself');
  expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'error']);
  expect((await say(engine, `leak ${outside}`)).events.at(-1)).toMatchObject({ outcome: 'failed' });
});

test.for([
  ['plan', { mode: 'plan' as const }, {}],
  ['isolation', { isolate: true }, {}],
  ['patch approval', {}, { requirePatchApproval: true }],
] as const)('with %s its process cannot write to the workspace', async ([, options, settings]) => {
  await using engine = await createEngine({ settings });
  const { workspace } = engine.place;
  const { said } = await say(
    engine,
    `act ${workspace}/a.txt x\nwrite ${workspace}/b.txt y\nread ${workspace}/README.md`,
    options,
  );
  expect(existsSync(join(workspace, 'a.txt'))).toBe(false);
  // Files that it writes through Klaus pass the gate, which asks in two of these cases.
  expect(existsSync(join(workspace, 'b.txt'))).toBe('isolate' in options);
  expect(said).toContain('read: # Test');
});

test('it has the network if the grant allows HTTPS to every host, else none', async () => {
  const listener = createServer((socket) => socket.on('error', () => {}).end('hello')).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  try {
    await using engine = await createEngine({ head: FULL });
    expect((await say(engine, `connect ${port}`)).said).toBe('connected\n');
    await using offline = await createEngine();
    expect((await say(offline, `connect ${port}`)).said).toMatch(/^no connection/);
  } finally {
    listener.close();
  }
});

test(
  'it gets the named variables and the files of its home, which lasts as long as the session',
  { tags: ['long'] },
  async () => {
    const configuration = (place: TestEngine['place']): string => join(place.env['HOME']!, 'other-agent');
    await using engine = await createEngine({
      head: `${FULL}\nenv: [OTHER_KEY]\nhome: ~/other-agent`,
      env: { OTHER_KEY: 'k-123', UNNAMED_KEY: 'no' },
    });
    mkdirSync(configuration(engine.place));
    writeFileSync(join(configuration(engine.place), 'settings.txt'), 'x');
    const { id, said } = await say(engine, 'env OTHER_KEY\nenv UNNAMED_KEY');
    expect(said).toContain('home=true');
    expect(said).toContain('UNNAMED_KEY=unset');
    expect(said).not.toContain('OTHER_KEY=unset');
    const session = await engine.klaus.session(id);
    await session.prompt('history');
    await session.advance();
    expect(toSaid(await Array.fromAsync(session.events()))).toContain('I know 1 prompts');
    // The folder itself is not changed.
    expect(existsSync(join(configuration(engine.place), 'acp-sessions'))).toBe(false);
  },
);

test('its terminals run in sandboxes of their own', { tags: ['long'] }, async () => {
  await using engine = await createEngine();
  const { said, events } = await say(engine, 'run cat /proc/1/comm; echo $HOME');
  expect(said).toMatch(/^exit 0: /);
  expect(outcomeOf(events)?.outcome).toBe('done');
});
