import { expect, test } from 'vitest';
import { toCanonical } from './canonical.ts';
import { EVENT_VERSION, type Event } from './event.ts';

const base = { v: EVENT_VERSION, seq: 1, prev: '', session: 's', at: 0 } as const;
const finished = (index: number, at: number): Event => ({
  ...base,
  at,
  type: 'tool.finished',
  run: '01ARYZ6S410000000000000000',
  turn: 1,
  call: `c${index}`,
  index,
  name: 'read_file',
  outcome: 'ok',
  output: `in /tmp/x${at}`,
  changes: [],
  durationMs: at,
});

test('results of parallel calls are in call order, in any order of their ends', () => {
  const a = toCanonical(
    [finished(0, 1), finished(1, 2)],
    new Map([
      ['/tmp/x1', '/w'],
      ['/tmp/x2', '/w'],
    ]),
  );
  const b = toCanonical(
    [finished(1, 2), finished(0, 1)],
    new Map([
      ['/tmp/x1', '/w'],
      ['/tmp/x2', '/w'],
    ]),
  );
  expect(a).toEqual(b);
  expect(JSON.stringify(a)).not.toContain('01ARYZ6S41');
});

test('instructions that parallel calls found follow their results, in any order of finding', () => {
  const context = (folder: string): Event => ({
    ...base,
    type: 'message.added',
    run: '01ARYZ6S410000000000000000',
    turn: 1,
    message: { id: `context:${folder}`, role: 'user', origin: 'context', parts: [{ type: 'text', text: folder }] },
  });
  const a = toCanonical([finished(0, 1), context('a'), finished(1, 1), context('b')]);
  const b = toCanonical([finished(1, 1), context('b'), finished(0, 1), context('a')]);
  expect(a).toEqual(b);
  expect(a).toHaveLength(4);
  expect(toCanonical([context('a'), context('b')])).not.toEqual(toCanonical([context('b'), context('a')]));
});

test('a different output is a difference', () => {
  expect(toCanonical([finished(0, 1)])).not.toEqual(toCanonical([finished(0, 2)]));
});
