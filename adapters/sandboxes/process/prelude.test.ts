import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { DEFAULT_EXEC_LIMITS } from '../exec-limits.ts';
import { toPrelude } from './prelude.ts';
import { countTasks, sendSignal } from './process-table.ts';
import { supervise } from './supervise.ts';
import { spawnWaiting } from './waiting-command.ts';

async function readLimit(others?: number): Promise<number> {
  const prelude = toPrelude({ limits: { ...DEFAULT_EXEC_LIMITS, processes: 1_000 }, controllers: new Set(), others });
  const { stdout } = await supervise(
    await spawnWaiting(
      {
        file: '/bin/sh',
        args: ['-c', prelude, 'klaus', '/', 'sh', '-c', 'ulimit -u 2>/dev/null || ulimit -p'],
        env: process.env,
        startPipe: 'descriptor',
        terminate: (pid) => sendSignal(pid, 'SIGTERM'),
        kill: (pid) => sendSignal(pid, 'SIGKILL'),
      },
      { takesStdin: false },
    ),
    { timeoutMs: 60_000 },
  );
  return Number(stdout);
}

test('other processes of the user do not count towards the limit of a command', async () => {
  expect(await readLimit()).toBe(1_001);
  expect(await readLimit(500)).toBe(1_501);
});

test.skipIf(process.getuid?.() !== 0)('tasks of a user are counted', async () => {
  const uid = 54_322;
  expect(countTasks(uid)).toBe(0);
  const child = spawn('sleep', ['1000'], { uid, stdio: 'ignore' });
  await once(child, 'spawn');
  expect(countTasks(uid)).toBe(1);
  child.kill();
  await once(child, 'exit');
});
