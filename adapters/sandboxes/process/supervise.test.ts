import { expect, test } from 'vitest';
import { DEFAULT_EXEC_LIMITS } from '../exec-limits.ts';
import { toPrelude } from './prelude.ts';
import { sendSignal } from './process-table.ts';
import { supervise } from './supervise.ts';
import { spawnWaiting } from './waiting-command.ts';

test('an abort during the start is not lost, and the command does not run', async () => {
  const prelude = toPrelude({ limits: DEFAULT_EXEC_LIMITS, controllers: new Set(['memory', 'pids', 'cpu'] as const) });
  const controller = new AbortController();
  const command = await spawnWaiting(
    {
      file: '/bin/sh',
      args: ['-c', prelude, 'klaus', '/', '/bin/sh', '-c', 'echo ran; exec sleep 1000'],
      env: process.env,
      startPipe: 'descriptor',
      terminate: (pid) => sendSignal(pid, 'SIGTERM'),
      kill: (pid) => sendSignal(pid, 'SIGKILL'),
    },
    { takesStdin: false },
  );
  const running = supervise(command, { signal: controller.signal, timeoutMs: 60_000 });
  // The first check of the signal is over, and the child does not wait yet.
  controller.abort();
  expect(await running).toMatchObject({ cancelled: true, timedOut: false, stdout: '' });
});
