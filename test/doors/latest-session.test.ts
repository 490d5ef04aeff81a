// Covers sdk/sessions, apps/cli: selection of the latest session.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from '@klaus/adapters/store';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { listSessions, runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const write = (content: string) => ({ calls: [{ name: 'write_file', input: { path: 'a.txt', content } }] });

const SCRIPT: Script = {
  steps: [
    { when: { turn: 0, user: 'write one' }, reply: write('one\n') },
    { when: { turn: 1, user: 'write' }, reply: write('two\n') },
  ],
  fallback: { text: 'Done.' },
};

test('verify takes the latest session of the folder, and names an older one that recorded checks', async () => {
  using place = createTestHome({ 'a.test.mjs': "import test from 'node:test';\ntest('passes', () => {});\n" });
  await using server = await startServer({
    steps: [
      {
        when: { turn: 0, user: 'run the tests' },
        reply: { calls: [{ name: 'run_command', input: { command: 'node --test' } }] },
      },
    ],
    fallback: { text: 'Done.' },
  });
  const klaus = (...words: string[]) => runKlaus(words, { place, server });
  await klaus('--approve', 'auto', 'run the tests');
  const { id } = (await listSessions(place))[0]!;
  expect(await klaus('verify', '--yes')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`Session ${id}`),
    stdout: expect.stringContaining('node --test'),
  });
  await klaus('say thanks');
  expect(await klaus('verify', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`klaus verify ${id}`),
    stdout: '',
  });
  expect(await klaus('verify', '--yes', id)).toMatchObject({ code: 0 });
});

test('undo, redo and diff take the latest session of the folder, and only name an older one that fits', async () => {
  using place = createTestHome({ 'a.txt': 'zero\n' });
  await using server = await startServer(SCRIPT);
  const klaus = (...words: string[]) => runKlaus(words, { place, server });
  const content = () => readFileSync(join(place.workspace, 'a.txt'), 'utf8');
  const latest = async () => (await listSessions(place))[0]!.id;
  await klaus('--approve', 'auto', 'write one thing');
  const older = await latest();
  const written = content();
  await klaus('say thanks');
  const thanks = await latest();
  expect(thanks).not.toBe(older);

  // The latest session changed nothing: the older one is named, and nothing happens, however often.
  for (const name of ['undo', 'undo', 'diff']) {
    const ended = await klaus(name);
    expect(ended).toMatchObject({ code: name === 'diff' ? 0 : 1, stdout: '' });
    expect(ended.stderr).toContain(`Session ${thanks}`);
    expect(ended.stderr).toContain(`klaus ${name} --session ${older}`);
  }
  const document = await klaus('undo', '--json');
  expect(document.code).toBe(1);
  expect(JSON.parse(document.stdout)).toMatchObject({ session: thanks, done: false, changes: [], other: older });
  expect(content()).toBe(written);

  // An undo by id does not make the older session the latest one.
  expect((await klaus('diff', '--plain', '--session', older)).stdout).toContain('-zero');
  expect(await klaus('undo', '--session', older)).toMatchObject({ code: 0 });
  expect(content()).toBe('zero\n');
  expect(await latest()).toBe(thanks);
  expect(await klaus('redo')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`klaus redo --session ${older}`),
  });
  expect(await klaus('redo', '--session', older)).toMatchObject({ code: 0 });
  expect(content()).toBe(written);
  expect(await latest()).toBe(thanks);
});

test('an undo reports no path whose content is already the one before', async () => {
  using place = createTestHome({ 'a.txt': 'zero\n' });
  await using server = await startServer(SCRIPT);
  const klaus = (...words: string[]) => runKlaus(words, { place, server });
  await klaus('--approve', 'auto', 'write one thing');
  const written = readFileSync(join(place.workspace, 'a.txt'), 'utf8');
  writeFileSync(join(place.workspace, 'a.txt'), 'zero\n');
  expect(JSON.parse((await klaus('undo', '--dry-run', '--json')).stdout)).toMatchObject({ changes: [] });
  expect(JSON.parse((await klaus('undo', '--json')).stdout)).toMatchObject({ done: true, changes: [] });
  // The redo still knows the change of the session.
  expect(JSON.parse((await klaus('redo', '--json')).stdout)).toMatchObject({ changes: [{ path: 'a.txt' }] });
  expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe(written);
});

test('undo and redo walk through the prompts of one session', { tags: ['long'] }, async () => {
  using place = createTestHome({ 'a.txt': 'zero\n' });
  await using server = await startServer(SCRIPT);
  const klaus = (...words: string[]) => runKlaus(words, { place, server });
  const content = () => readFileSync(join(place.workspace, 'a.txt'), 'utf8');
  await klaus('--approve', 'auto', 'write one thing');
  const { id } = (await listSessions(place))[0]!;
  const written = content();
  expect(await klaus('undo')).toMatchObject({ code: 0, stderr: expect.stringContaining(`Session ${id}`) });
  expect(content()).toBe('zero\n');
  expect(await klaus('undo')).toMatchObject({ code: 1, stderr: expect.not.stringContaining('--session') });
  expect(await klaus('undo', '--session', id)).toMatchObject({ code: 1 });
  expect(await klaus('redo')).toMatchObject({ code: 0, stderr: expect.stringContaining(`Session ${id}`) });
  expect(content()).toBe(written);
  expect((await klaus('show', id)).stdout).toMatch(/write_file a\.txt: ok, .*, turn 1$/m);
  expect(await klaus('undo', '--step', '--turn', '1')).toMatchObject({ code: 2 });
  expect(await klaus('undo', '--turn', '1')).toMatchObject({ code: 0 });
  expect(content()).toBe('zero\n');
});

test(
  '--continue takes the latest session of the folder that takes a prompt, and prints it',
  { tags: ['long'] },
  async () => {
    using place = createTestHome({ 'packages/a/x.txt': '' });
    await using server = await startServer({ steps: [], fallback: { text: 'Done.' } });
    const cwd = join(place.workspace, 'packages', 'a');
    const at = (folder: string) => (words: readonly string[]) => runKlaus(words, { place, server, cwd: folder });
    const klaus = at(cwd);
    const idOf = (text: string) => /klaus --session (\w+)/.exec(text)![1]!;
    const plain = idOf((await klaus(['begin here'])).stderr);
    const narrow = idOf((await klaus(['--root', '.', 'begin here'])).stderr);
    const elsewhere = idOf((await at(place.workspace)(['begin here'])).stderr);
    expect(new Set([plain, narrow, elsewhere]).size).toBe(3);

    expect((await klaus(['--continue', 'continue'])).stderr).toContain(`Session ${plain}`);
    expect((await klaus(['-c', '--root', '.', 'continue'])).stderr).toContain(`Session ${narrow}`);
    expect((await at(place.workspace)(['-c', 'continue'])).stderr).toContain(`Session ${elsewhere}`);
    expect((await klaus(['--continue', '--json', 'continue'])).stderr).toBe('');

    await closeSession(place, plain);
    const refused = await klaus(['--continue', 'continue']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`--session ${narrow}`) });
    await closeSession(place, narrow);
    expect(await klaus(['--continue', 'continue'])).toMatchObject({
      code: 2,
      stderr: expect.not.stringContaining(narrow),
    });
  },
);

async function closeSession({ home }: TestHome, session: string): Promise<void> {
  using store = createSqliteStore({ home });
  const lease = (await store.claim(session))!;
  await store.append(session, [{ type: 'session.closed', reason: 'done', at: Date.now() }], { lease });
  await lease.release();
}
