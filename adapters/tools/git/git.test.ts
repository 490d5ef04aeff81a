import { expect, test } from 'vitest';
import type { ExecResult } from '@klaus/core/agent';
import { toGitError } from './git.ts';

const ended: ExecResult = {
  ...{ exitCode: 0, signal: null, stdout: '', stderr: 'warning: slow', output: '', truncated: false },
  ...{ timedOut: false, cancelled: false, durationMs: 1, unenforced: [] },
};

test.each([
  ['the command itself', { exitCode: null, signal: 'SIGTERM' }, /ended by SIGTERM/],
  ['a program of a script', { exitCode: 137 }, /ended by SIGKILL/],
  ['an error of git', { exitCode: 128 }, /exit code 128: warning/],
  ['a wrong option of git', { exitCode: 129 }, /exit code 129/],
])('names what ended git: %s', (_name, result, message) => {
  expect(toGitError({ ...ended, ...result }).message).toMatch(message);
});
