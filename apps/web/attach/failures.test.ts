import type { CallEntry, Entry, FactEntry } from '@klaus/core/conversation';
import { expect, test } from 'vitest';
import { listFailures, toOutputEnd } from './failures.ts';

let seq = 0;
function call(command: string, result: object | undefined): CallEntry {
  seq += 1;
  const base = {
    id: `c${seq}`,
    seq,
    at: seq * 1_000,
    turn: 1,
    kind: 'call',
    name: 'run_command',
    decisions: [],
  } as const;
  const filled = { outcome: 'ok', output: `output of ${command}`, changes: [], durationMs: 1, ...result };
  return { ...base, input: { command }, state: 'finished', ...(result ? { result: filled } : {}) } as CallEntry;
}

const list = (entries: Entry[]) => listFailures({ entries }).map(({ command, exitCode }) => [command, exitCode]);

test('commands with another exit code than 0 and failed checks are listed, the latest first', () => {
  const entries = [
    call('true', { detail: { exitCode: 0 } }),
    call('false', { outcome: 'error', detail: { exitCode: 1 } }),
    call('npm test', { evidence: { command: 'npm test', exitCode: 2 }, detail: { exitCode: 2 } }),
    call('sleep 9', { outcome: 'error', detail: { exitCode: null } }),
  ];
  expect(list(entries)).toEqual([
    ['sleep 9', null],
    ['npm test', 2],
    ['false', 1],
  ]);
  expect(listFailures({ entries }).map(({ isCheck }) => isCheck)).toEqual([false, true, false]);
});

test('commands that run, that did not start or that the user cancelled are not listed', () => {
  const entries = [
    call('running', undefined),
    call('denied', { outcome: 'denied' }),
    call('stopped', { outcome: 'cancelled', detail: { exitCode: null } }),
    { ...call('read', { detail: { lines: 1 } }), name: 'read_file' },
  ];
  expect(list(entries)).toEqual([]);
});

test('checks that failed when they ran again are listed without an output', () => {
  const checks = [
    { call: 'c', command: 'npm test', recorded: 0, exitCode: 1, result: 'failed', differs: true },
    { call: 'd', command: 'tsc', recorded: 0, exitCode: 0, result: 'passed', differs: false },
  ];
  const event = { type: 'evidence.verified', run: 'r', by: 'page', checks };
  const fact = { kind: 'fact', id: 'f', seq: 9, at: 9, event } as unknown as FactEntry;
  expect(listFailures({ entries: [fact] })).toEqual([
    { key: 'f 0', command: 'npm test', exitCode: 1, isCheck: true, at: 9 },
  ]);
});

test('of a long output, the end is kept from the beginning of a line on, without colours', () => {
  expect(toOutputEnd('\u001b[31mred\u001b[0m\n')).toBe('red');
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
  const end = toOutputEnd(lines, 100);
  expect(end.startsWith('[…]\nline ')).toBe(true);
  expect(end.endsWith('line 99')).toBe(true);
  expect(end.length).toBeLessThanOrEqual(104);
});
