import { expect, test } from 'vitest';
import { judgeSession } from './judge-session.ts';

const IDLE = {
  status: 'idle',
  isHeld: false,
  isLost: false,
  isAsking: false,
  needsSlot: false,
  waitingMs: null,
  idleMs: 90_000,
  problem: null,
  move: null,
} as const;
const PROBLEM = { worker: 'w-1', code: 'workspace.missing', message: 'It is not there.', hint: null };
type Facts = Parameters<typeof judgeSession>[0];

test.each<[facts: Partial<Facts>, state: string, reason: string | null]>([
  [{}, 'idle', null],
  [{ status: 'closed' }, 'idle', null],
  [{ status: 'running', isHeld: true, waitingMs: 90_000 }, 'running', null],
  [{ status: 'waiting', isAsking: true }, 'waiting', null],
  // Its child asks.
  [{ status: 'running', isAsking: true }, 'waiting', null],
  [{ status: 'waiting', isAsking: true, waitingMs: 10 }, 'queued', null],
  [{ waitingMs: 59_999 }, 'queued', null],
  [{ waitingMs: 60_000 }, 'stuck', 'command'],
  [{ waitingMs: 60_000, needsSlot: true }, 'queued', 'slot'],
  [{ status: 'running', idleMs: 10 }, 'queued', null],
  [{ status: 'running' }, 'stuck', 'run'],
  [{ status: 'running', idleMs: 10, isLost: true }, 'stuck', 'worker'],
  // Its holder ended after its run.
  [{ isLost: true }, 'idle', null],
  [{ waitingMs: 10, problem: PROBLEM }, 'stuck', 'problem'],
  [{ status: 'running', problem: PROBLEM, isHeld: true }, 'running', null],
  // Nothing is left to do, so that the problem is over.
  [{ problem: PROBLEM }, 'idle', null],
  [{ move: { state: 'moved', place: 'p' }, waitingMs: 90_000 }, 'moved', null],
  [{ move: { state: 'leaving', place: 'p' } }, 'stuck', 'move'],
])('%o is %s (%s)', (facts, state, reason) => {
  expect(judgeSession({ ...IDLE, ...facts }, 60_000)).toEqual({ state, reason });
});
