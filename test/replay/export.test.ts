// Covers sdk/export: sessions as tests.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSessions, MAIN, runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

/** Runs the exported test as a user does; `klaus` is a program of this name. */
function runTest({ env, home }: TestHome, folder: string): { status: number | null; stdout: string } {
  const program = join(home, 'klaus-program');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(program, 0o755);
  const words = ['--test', join(folder, 'session.test.mjs')];
  const { NODE_TEST_CONTEXT: _, ...own } = { ...env, KLAUS: program, NODE_TEST_CONTEXT: '' };
  return spawnSync(process.execPath, words, { env: own, encoding: 'utf8' });
}

test('values of secret files are in no exported test and in no title of a fork', async () => {
  const value = 'Kk19ZxQ7tR5vLmP8';
  const key = ['AKIA', 'Q3EGRTZ5HNJY2W7B'].join('');
  using place = createTestHome({
    '.env': `PASSWORD=${value}\n`,
    'notes.txt': `just ${value} here\n`,
    'encoded.txt': `${Buffer.from(`PASSWORD=${value}`).toString('base64')}\n`,
  });
  writeFileSync(join(place.workspace, 'latin1.txt'), Buffer.from(`\u00fc ${key} ${value}\n`, 'latin1'));
  writeFileSync(join(place.workspace, 'plain.bin'), Buffer.from([0xff, 0xfe, 0, 1]));
  await using server = await startServer({
    steps: [
      { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'b\n' } }] } },
    ],
    fallback: { text: 'Done.' },
  });
  expect(await runKlaus(['write a file'], { place, server })).toMatchObject({ code: 0 });
  const { id } = (await listSessions(place))[0]!;
  // The secret file is deleted, but its value is still in the log.
  rmSync(join(place.workspace, '.env'));
  const folder = join(place.home, 'exported');
  const exported = await runKlaus(['export', id, '--as', 'test', '--out', folder], { place });
  expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining('latin1.txt') });
  expect(readdirSync(join(folder, 'workspace')).sort()).toEqual(['encoded.txt', 'notes.txt', 'plain.bin']);
  for (const name of ['notes.txt', 'encoded.txt'])
    expect(readFileSync(join(folder, 'workspace', name), 'utf8')).toContain('[secret:');
  writeFileSync(join(place.workspace, '.env'), `PASSWORD=${value}\n`);
  await runKlaus(['fork', id, '--title', `about ${value}`], { place, server });
  const titles = (await runKlaus(['sessions', '--json'], { place })).stdout;
  expect(titles).toContain('about [secret:');
  expect(titles).not.toContain(value);
});

test(
  'an exported session passes as it is, and fails when what it asserts is changed',
  { timeout: 240_000 },
  async () => {
    const secret = ['ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');
    using place = createTestHome({ 'a.txt': 'one\n', 'docs/key.md': `token ${secret}\n`, '.env': `TOKEN=${secret}\n` });
    await using server = await startServer({
      steps: [
        { when: { tools: false }, reply: { text: 'A title\nA summary' } },
        {
          when: { turn: 0 },
          reply: {
            text: 'I look.',
            calls: [
              { name: 'read_file', input: { path: 'a.txt' } },
              { name: 'read_file', input: { path: 'none.txt' } },
            ],
          },
        },
        {
          when: { turn: 1 },
          reply: {
            calls: [
              { name: 'edit_file', raw: JSON.stringify({ path: 'a.txt', edits: [{ old: 'one', new: 'two {{x}}' }] }) },
            ],
          },
        },
        { when: { turn: 2 }, reply: { text: 'Edited.' } },
      ],
    });
    const run = await runKlaus(['run', '--json', '--approve', 'ask', '--on-ask', 'wait', 'change a.txt'], {
      place,
      server,
    });
    expect(run).toMatchObject({ code: 8 });
    const events = run.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { session: string; type: string; approval?: string });
    const session = events[0]!.session;
    const { approval } = events.find(({ type }) => type === 'approval.asked')!;
    expect(await runKlaus(['approve', approval!], { place, server })).toMatchObject({ code: 0 });
    const folder = join(place.home, 'exported');
    const exported = await runKlaus(['export', session, '--as', 'test', '--out', folder], { place });
    expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining('.env') });
    expect(existsSync(join(folder, 'workspace/.env'))).toBe(false);
    const texts = ['script.yaml', 'session.test.mjs', 'workspace/docs/key.md'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
    expect(texts.join('\n')).not.toContain(secret);
    expect((await runKlaus(['audit', 'show', '--host', '--json'], { place })).stdout).toContain('"format":"test"');
    expect(await runKlaus(['export', session, '--as', 'test', '--out', folder], { place })).toMatchObject({ code: 2 });

    const first = runTest(place, folder);
    expect(first.status, first.stdout).toBe(0);
    const mutations: [string, string, string][] = [
      ['script.yaml', 'Edited.', 'Edited it.'],
      ['workspace/a.txt', 'one\n', 'one more\n'],
      ['session.test.mjs', '"outcome": "error"', '"outcome": "ok"'],
      ['session.test.mjs', '"mode": "ask"', '"mode": "auto"'],
    ];
    for (const [name, from, to] of mutations) {
      const path = join(folder, name);
      const text = readFileSync(path, 'utf8');
      expect(text).toContain(from);
      writeFileSync(path, text.replace(from, to));
      expect(runTest(place, folder).status, `${name}: ${to}`).toBe(1);
      writeFileSync(path, text);
    }
  },
);

test('a session that a script cannot reproduce is refused with the reason, also by replay', async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [{ reply: { text: 'Hello.' } }] });
  const run = await runKlaus(['run', '--json', 'hello'], { place, server });
  const session = (JSON.parse(run.stdout.split('\n')[0]!) as { session: string }).session;
  expect(await runKlaus(['replay', session], { place })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Equal: 1 /),
  });
  const forked = await runKlaus(['fork', session, '--at', '5', '--json'], { place });
  const { session: fork } = JSON.parse(forked.stdout) as { session: string };
  expect((await runKlaus(['show', fork], { place })).stdout).toMatch(new RegExp(`\\b${session}\\b.*\\b5\\b`));
  expect((await runKlaus(['sessions'], { place })).stdout).toMatch(/\(.*\b5\)/);
  expect(await runKlaus(['export', fork, '--as', 'test'], { place })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('fork'),
  });
  expect(await runKlaus(['audit', 'verify'], { place })).toMatchObject({ code: 0 });
});
