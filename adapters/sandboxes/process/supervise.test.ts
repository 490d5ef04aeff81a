import { expect, test } from 'vitest';
import { DEFAULT_EXEC_LIMITS } from '../exec-limits.ts';
import { toPrelude } from './prelude.ts';
import { sendSignal } from './process-table.ts';
import { supervise } from './supervise.ts';

test('an abort while the command is being started is not lost, and nothing of it runs', async () => {
  const prelude = toPrelude({ limits: DEFAULT_EXEC_LIMITS, controllers: new Set(['memory', 'pids', 'cpu'] as const) });
  const controller = new AbortController();
  const running = supervise(
    {
      file: '/bin/sh',
      args: ['-c', prelude, 'klaus', '/', '/bin/sh', '-c', 'echo ran; exec sleep 1000'],
      env: process.env,
      startPipe: 'descriptor',
      terminate: (pid) => sendSignal(pid, 'SIGTERM'),
      kill: (pid) => sendSignal(pid, 'SIGKILL'),
    },
    { signal: controller.signal, timeoutMs: 60_000 },
  );
  // The first look at the signal is over, and the child is not there yet.
  controller.abort();
  expect(await running).toMatchObject({ cancelled: true, timedOut: false, stdout: '' });
});
