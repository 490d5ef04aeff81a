// Covers core/policy, sdk/policy, adapters/sandboxes/protection: policy files in runs.
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';
import type { TestHome } from '../fixtures/test-home.ts';

const WRITE: Script = {
  steps: [{ reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'x\n' } }] } }],
  fallback: { text: 'Done.' },
};

function writePolicy(place: TestHome, text: string): string {
  mkdirSync(join(place.workspace, '.klaus'), { recursive: true });
  const path = join(place.workspace, '.klaus/policy.yaml');
  writeFileSync(path, text);
  return path;
}

test('under a broken policy nothing runs, in a new session or an old one, and nothing is left waiting', async () => {
  await using engine = await createTestEngine({ script: WRITE, settings: { approve: 'ask' } });
  const { klaus, place, server } = engine;
  const session = await klaus.open();
  await session.prompt('begin', { onAsk: 'wait' });
  const parked = await session.advance();
  const [question] = parked.state === 'parked' ? parked.approvals : [];
  const sent = server.requests.length;

  const path = writePolicy(place, 'rules:\n  - deny: { tool: "*" }\n  - deny: { tol: x }\n');
  const refused = { code: 'config', message: expect.stringMatching(/\.klaus\/policy\.yaml:3: .*"tol"/) };
  await expect(klaus.open()).rejects.toMatchObject(refused);
  await expect(session.prompt('again')).rejects.toMatchObject(refused);
  await expect(session.send({ type: 'resume', onAsk: 'wait' })).rejects.toMatchObject(refused);
  await expect(klaus.answer(question!.approval, 'approved')).rejects.toMatchObject(refused);
  await expect(session.advance()).rejects.toMatchObject(refused);
  expect(server.requests.length).toBe(sent);
  expect(await klaus.store.inbox(session.id)).toEqual([]);
  expect(await klaus.sessions()).toHaveLength(1);

  rmSync(path);
  await klaus.answer(question!.approval, 'approved');
  expect(await session.advance()).toMatchObject({ state: 'idle', finished: { outcome: 'done' } });
  expect(existsSync(join(place.workspace, 'new.txt'))).toBe(true);
});

test('a policy that came while a question was open holds when the answer comes', async () => {
  await using engine = await createTestEngine({ script: WRITE, settings: { approve: 'ask' } });
  const { klaus, place } = engine;
  const session = await klaus.open();
  await session.prompt('begin', { onAsk: 'wait' });
  const parked = await session.advance();
  const [question] = parked.state === 'parked' ? parked.approvals : [];
  writePolicy(place, 'rules:\n  - deny: { write: new.txt }\n');
  await klaus.answer(question!.approval, 'approved');
  await session.advance();
  expect(existsSync(join(place.workspace, 'new.txt'))).toBe(false);
  expect((await Array.fromAsync(klaus.store.decisions({ denied: true }))).at(-1)?.event).toMatchObject({
    verdict: 'deny',
    rule: 'policy',
  });
});

test('settings and policies that differ from the last run in a workspace are recorded, once and without secrets', async () => {
  const script: Script = { steps: [], fallback: { text: 'ok' } };
  const env = { ANTHROPIC_API_KEY: 'sk-ant-test-4f1c9b7e2a60' };
  const settings = { 'limits.usd': 0, requirePatchApproval: true };
  await using engine = await createTestEngine({ script, env, settings });
  const { klaus, place } = engine;
  const changes = async () =>
    await Array.fromAsync(klaus.store.hostEvents({ type: 'configuration.changed', subject: place.workspace }));
  const session = await klaus.open();
  for (const text of ['one', 'two']) {
    await session.prompt(text);
    await session.advance();
  }
  expect(await changes()).toHaveLength(1);
  expect((await changes())[0]).toMatchObject({
    changes: expect.arrayContaining([
      { key: 'requirePatchApproval', before: 'false', after: 'true' },
      { key: 'keys.anthropic', before: null, after: 'set' },
    ]),
    policies: [],
  });
  expect(JSON.stringify(await changes())).not.toContain('9b7e2a60');

  const path = writePolicy(place, 'rules:\n  - ask: { command: terraform * }\n');
  await session.prompt('three');
  await session.advance();
  expect(await changes()).toHaveLength(2);
  expect((await changes())[1]).toMatchObject({
    changes: [],
    policies: [{ path, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  });
  expect((await klaus.store.audit()).intact).toBe(true);
});

sandboxed('what must not be read is empty for commands too, however they come to it', async () => {
  const lines = ['grep -rh ACME . || echo nothing', `python3 -c "print(open('custom' + 'ers/list.csv').read())"`];
  lines.push('cat -- `ls -d cus*`/l*', 'git show HEAD:customers/list.csv', 'cat notes.txt');
  await using engine = await createTestEngine({
    files: { 'customers/list.csv': 'ACME\n', 'deep/a.private': 'ACME\n', 'notes.txt': 'open\n' },
    script: {
      steps: lines.map((command) => ({ reply: { calls: [{ name: 'run_command', input: { command } }] } })),
      fallback: { text: 'Done.' },
    },
    settings: { 'sandbox.driver': 'bubblewrap' },
  });
  writePolicy(engine.place, 'rules:\n  - deny: { read: "customers/**" }\n  - deny: { read: "*.private" }\n');
  const session = await engine.klaus.open();
  await session.prompt('begin');
  await session.advance();
  const outputs = ofType(await Array.fromAsync(session.events()), 'tool.finished').map(({ output }) => output);
  expect(outputs).toHaveLength(lines.length);
  expect(outputs.join('\n')).not.toContain('ACME');
  expect(outputs[0]).toContain('nothing');
  expect(outputs.at(-1)).toContain('open');
});

sandboxed('what must not be read, or is asked about, is the same file under its other names', async () => {
  const read = (path: string) => ({ name: 'read_file', input: { path } });
  const calls = [
    { name: 'run_command', input: { command: 'cat data/copy.csv data/settings.txt; echo end' } },
    read('data/copy.csv'),
    read('data/settings.txt'),
    read('data/shared.txt'),
  ];
  await using engine = await createTestEngine({
    files: { 'customers/list.csv': 'ACME\n', '.gitignore': '.env\ndata\n', 'open.txt': 'shared\n' },
    script: { steps: calls.map((call) => ({ reply: { calls: [call] } })), fallback: { text: 'Done.' } },
    settings: { 'sandbox.driver': 'bubblewrap' },
  });
  const at = (path: string) => join(engine.place.workspace, path);
  writePolicy(engine.place, 'rules:\n  - deny: { read: "customers/**" }\n');
  writeFileSync(at('.env'), 'NAME=plain\n');
  mkdirSync(at('data'));
  linkSync(at('customers/list.csv'), at('data/copy.csv'));
  linkSync(at('.env'), at('data/settings.txt'));
  linkSync(at('open.txt'), at('data/shared.txt'));
  const session = await engine.klaus.open();
  await session.prompt('begin', { onAsk: 'deny' });
  await session.advance();
  const finished = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  expect(finished.map(({ outcome }) => outcome)).toEqual(['ok', 'denied', 'denied', 'ok']);
  expect(finished[0]?.output).not.toMatch(/ACME|plain/);
  const rules = (await Array.fromAsync(engine.klaus.store.decisions({ denied: true }))).map(({ event }) => event.rule);
  expect(rules).toEqual(['policy', 'path']);
});
