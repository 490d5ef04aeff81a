import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../index.ts';
import { createPlace, eventually, findProcesses } from '../sandbox.fixture.ts';
import { scrubEnvironment } from './scrub-environment.ts';

const place = createPlace();
afterAll(() => place[Symbol.dispose]());
const sandbox = await createSandbox({ ...place, choice: 'host' });

test('runs in the workspace and says what it does not hold back', async () => {
  const result = await sandbox.exec({ command: 'pwd; cat; exit 3', stdin: 'in' });
  expect(result).toMatchObject({ stdout: `${place.workspace}\nin`, exitCode: 3 });
  expect(result.unenforced.map((each) => each.split(':')[0])).toEqual(expect.arrayContaining(['filesystem', 'network']));
});

test('a command has no child that it never made', async () => {
  expect((await sandbox.exec({ command: ['/usr/bin/perl', '-e', '1 while wait() != -1; print "alone"'] })).stdout).toBe('alone');
});

test('credentials are not passed, the rest is', () => {
  const env = {
    ...{ PATH: '/bin', HOME: '/home/u', EDITOR: 'vi', MONKEY: 'banana', KEYBOARD: 'de', npm_config_cache: '/c', LC_ALL: 'C' },
    ...{ ANTHROPIC_BASE_URL: 'x', OPENAI_ORG: 'x', AWS_PROFILE: 'x', MY_API_KEY: 'x', GH_TOKEN: 'x', DB_PASSWORD: 'x' },
    ...{ CLIENT_SECRET: 'x', PGPASSWORD: 'x', SSH_AUTH_SOCK: 'x', DATABASE_URL: 'postgres://u:p@h/d', NPM_TOKEN: 'x', KLAUS_HOME: 'x' },
  };
  expect(Object.keys(scrubEnvironment(env)).sort()).toEqual(['EDITOR', 'HOME', 'KEYBOARD', 'LC_ALL', 'MONKEY', 'PATH', 'npm_config_cache'].sort());
});

describe.skipIf(process.platform !== 'linux')('what a command started', () => {
  const tree = (mark: string) => `(setsid sh -c 'sleep ${mark} & sleep ${mark}' >/dev/null 2>&1 &); sleep ${mark} & sleep ${mark}`;

  test('ends with it', async () => {
    const mark = `3600.${process.pid}5`;
    await sandbox.exec({ command: `(setsid sleep ${mark} &); sleep ${mark} & echo done` });
    expect(findProcesses(mark)).toEqual([]);
  });

  test('ends at the time-out and by abort', async () => {
    const mark = `3600.${process.pid}6`;
    const late = await sandbox.exec({ command: `trap "" TERM; ${tree(mark)}`, limits: { timeoutMs: 200 } });
    expect(late).toMatchObject({ timedOut: true });
    expect(findProcesses(mark)).toEqual([]);
    const controller = new AbortController();
    const cut = await sandbox.exec({ command: `echo up; ${tree(mark)}`, signal: controller.signal, onOutput: () => controller.abort() });
    expect(cut).toMatchObject({ cancelled: true, timedOut: false });
    expect(findProcesses(mark)).toEqual([]);
  });

  test('ends when Klaus is killed, and leaves other commands alone', async () => {
    const mark = `3600.${process.pid}7`;
    const other = `3600.${process.pid}8`;
    const controller = new AbortController();
    const running = sandbox.exec({ command: `sleep ${other}`, signal: controller.signal });
    for (let round = 0; round < 10; round++) {
      const klaus = spawn(
        process.execPath,
        [join(import.meta.dirname, '../exec-child.fixture.ts'), 'host', place.workspace, place.home, tree(mark)],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await once(klaus.stdout, 'data');
      for (let turn = 0; turn < round ** 2 * 80; turn++) await new Promise(setImmediate);
      klaus.kill('SIGKILL');
      await once(klaus, 'exit');
      expect(await eventually(() => findProcesses(mark).length === 0), `round ${round}`).toBe(true);
    }
    expect(findProcesses(other)).not.toEqual([]);
    controller.abort();
    await running;
  }, 60_000);
});
