import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readCgroupSites } from '../cgroup/cgroup-mounts.ts';
import { sweepGroups } from '../cgroup/resource-group.ts';
import { createSandbox } from '../index.ts';
import { createSandboxFixture, eventually, findProcesses } from '../sandbox.fixture.ts';
import { stripCredentials } from './strip-credentials.ts';

const place = createSandboxFixture();
afterAll(() => {
  place[Symbol.dispose]();
  sweepGroups(Object.values(readCgroupSites()).flatMap((site) => site.parents));
});
const sandbox = await createSandbox({ ...place, choice: 'host' });

test('runs in the workspace and reports what it does not enforce', async () => {
  const result = await sandbox.exec({ command: 'pwd; cat; exit 3', stdin: 'in' });
  expect(result).toMatchObject({ stdout: `${place.workspace}\nin`, exitCode: 3 });
  expect(result.unenforced.map((each) => each.split(':')[0])).toEqual(
    expect.arrayContaining(['filesystem', 'network']),
  );
});

test('a command has no child of the driver', async () => {
  expect((await sandbox.exec({ command: ['/usr/bin/perl', '-e', '1 while wait() != -1; print "alone"'] })).stdout).toBe(
    'alone',
  );
});

test('credentials are not passed, the rest is', () => {
  const passed = 'PATH HOME EDITOR MONKEY KEYBOARD npm_config_cache LC_ALL';
  const credentials =
    'ANTHROPIC_BASE_URL OPENAI_ORG AWS_PROFILE MY_API_KEY GH_TOKEN DB_PASSWORD CLIENT_SECRET PGPASSWORD SSH_AUTH_SOCK ' +
    'NPM_TOKEN KLAUS_HOME npm_config_//registry.example/:_authToken';
  const all = `${passed} ${credentials}`.split(' ').map((name) => [name, 'value']);
  const env = { ...Object.fromEntries(all), DATABASE_URL: 'postgres://u:p@h/d' };
  expect(Object.keys(stripCredentials(env))).toEqual(passed.split(' '));
});

describe.skipIf(process.platform !== 'linux')('processes of a command', () => {
  const tree = (mark: string) =>
    `(setsid sh -c 'sleep ${mark} & sleep ${mark}' >/dev/null 2>&1 &); sleep ${mark} & sleep ${mark}`;

  test('end with it', async () => {
    const mark = `3600.${process.pid}5`;
    await sandbox.exec({ command: `(setsid sleep ${mark} &); sleep ${mark} & echo done` });
    expect(findProcesses(mark)).toEqual([]);
  });

  test('end at the time-out and on abort', async () => {
    const mark = `3600.${process.pid}6`;
    const late = await sandbox.exec({ command: `trap "" TERM; ${tree(mark)}`, limits: { timeoutMs: 200 } });
    expect(late).toMatchObject({ timedOut: true });
    expect(findProcesses(mark)).toEqual([]);
    const controller = new AbortController();
    const cut = await sandbox.exec({
      command: `echo up; ${tree(mark)}`,
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(cut).toMatchObject({ cancelled: true, timedOut: false });
    expect(findProcesses(mark)).toEqual([]);
  });

  test('end when Klaus is killed, without affecting other commands', async () => {
    const mark = `3600.${process.pid}7`;
    const other = `3600.${process.pid}8`;
    const controller = new AbortController();
    const running = sandbox.exec({ command: `sleep ${other}`, signal: controller.signal });
    for (let round = 0; round < 10; round++) {
      const klaus = spawn(
        process.execPath,
        [join(import.meta.dirname, '../exec-child.fixture.ts'), 'host', place.workspace, place.home, tree(mark), '2'],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await once(klaus.stdout, 'data');
      if (round % 4 === 3) expect(await eventually(() => findProcesses(`sleep\0${mark}`).length > 0)).toBe(true);
      else for (let turn = 0; turn < round ** 2 * 80; turn++) await new Promise(setImmediate);
      klaus.kill('SIGKILL');
      await once(klaus, 'exit');
      expect(await eventually(() => findProcesses(mark).length === 0), `round ${round}`).toBe(true);
    }
    expect(findProcesses(other)).not.toEqual([]);
    controller.abort();
    await running;
  }, 60_000);
});
