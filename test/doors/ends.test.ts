// Covers apps/cli, adapters/sandboxes/background: what ends with a run and with its program.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { listSessions, MAIN, runKlaus, startKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const ANSWER: Script = { steps: [{ reply: { text: 'All is well.' } }] };

const DENIED: Script = {
  steps: [
    { reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] } },
    { when: { turn: 1, result: 'Created' }, reply: { text: 'Written.' } },
    { when: { turn: 1 }, reply: { text: 'I was not allowed to.' } },
    {
      when: { user: 'continue', turn: 2 },
      reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] },
    },
    { when: { turn: 3 }, reply: { text: 'Written now.' } },
  ],
};

/** The words of the command line that the last line on standard error offers. */
function offered(stderr: string): string[] {
  const line = stderr.trimEnd().split('\n').at(-1) ?? '';
  const words = /continue with klaus (.*)$/.exec(line)?.[1]?.match(/"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replaceAll('"', ''));
}

test('the command after a limit continues the run, also if it was reached before the first turn', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  const stopped = await runKlaus(['--budget-tokens', '100', 'hello there'], { place, server });
  expect(offered(stopped.stderr)).toContain('--budget-tokens');
  expect(await runKlaus(offered(stopped.stderr), { place, server })).toMatchObject({
    code: 0,
    stdout: 'All is well.\n',
  });
});

test('a denial by the mode is not reported as an unanswered approval', async () => {
  using place = createTestHome();
  await using server = await startServer(DENIED);
  const denied = await runKlaus(['--approve', 'plan', 'write'], { place, server });
  expect(denied).toMatchObject({ code: 6 });
  expect(denied.stderr).not.toContain('--on-ask wait');
  expect(offered(denied.stderr)).toEqual(expect.arrayContaining(['--approve', 'auto', 'continue']));
  expect(await runKlaus(offered(denied.stderr), { place, server })).toMatchObject({
    code: 0,
    stdout: 'Written now.\n',
  });
  expect(existsSync(join(place.workspace, 'new.txt'))).toBe(true);
});

test('a full disk behind standard output is reported, and the run ends cleanly: exit 1', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  for (const words of [['--json', 'hello there'], ['hello there'], ['sessions']]) {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [MAIN, ...words], {
      cwd: place.workspace,
      env: toEnv({ place, server }),
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
    expect({ words, code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOSPC') });
    expect(stderr).not.toMatch(/^\s+at /m);
  }
  for (const { status } of await listSessions(place)) expect(['done', 'cancelled']).toContain(status);
});

test('a deleted working directory is reported', async () => {
  using place = createTestHome();
  const gone = join(place.workspace, 'gone');
  mkdirSync(gone);
  const child = spawn('/bin/sh', ['-c', 'rmdir "$PWD"; exec "$@"', 'sh', process.execPath, MAIN, 'hello there'], {
    cwd: gone,
    env: toEnv({ place }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  expect(code).toBe(2);
  expect(stderr).toContain('--cwd');
  expect(stderr).not.toContain('defect');
});

test('klaus show names the call during which a run was killed', async () => {
  using place = createTestHome();
  await using server = await startServer({
    steps: [
      { reply: { calls: [{ name: 'run_command', input: { command: 'until [ -e go ]; do sleep 0.05; done' } }] } },
    ],
  });
  const klaus = startKlaus(['--json', 'do it'], { place, server });
  await klaus.printed('stdout', '"tool.started"');
  klaus.kill('SIGKILL');
  await klaus.ended;
  const [session] = await listSessions(place);
  const shown = await runKlaus(['show', session!.id], { place });
  expect(shown.stdout).toContain('run_command until [ -e go ]');
  writeFileSync(join(place.workspace, 'go'), '');
});

test('a wrong option names the help of its command', async () => {
  using place = createTestHome();
  expect((await runKlaus(['--approve', 'yolo', 'x'], { place })).stderr).toContain('klaus run --help');
  expect((await runKlaus(['steer'], { place })).stderr).toContain('klaus steer --help');
});

test('an unknown model is refused before anything of the session changes', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'All is well.' } });
  await runKlaus(['hello there'], { place, server });
  const [session] = await listSessions(place);
  const before = await runKlaus(['show', session!.id, '--json'], { place });
  const wrong = ['--session', session!.id, '--model', 'nonsense', '--max-turns', '9', 'and now'];
  expect(await runKlaus(wrong, { place, server })).toMatchObject({ code: 3, stdout: '' });
  expect(await runKlaus(['show', session!.id, '--json'], { place })).toEqual(before);

  const changed = ['--json', '--session', session!.id, '--model', 'haiku', 'and now'];
  const { code, stdout } = await runKlaus(changed, { place, server });
  expect(code).toBe(0);
  expect(stdout).toContain('"model":"anthropic/claude-haiku-5-5"');
  expect(stdout.match(/"run.started"/g)).toHaveLength(1);
});
