import { expect, test } from 'vitest';
import type { ModelEvent } from '@klaus/core/agent';
import { mergeDeltas } from './merge-deltas.ts';

const call = (index: number, text: string): ModelEvent => ({ type: 'call', index, name: `tool${index}`, text });

test('neighbours of one kind become one, in order, and nothing else does', () => {
  const events: ModelEvent[] = [
    { type: 'thinking', text: 'a' },
    { type: 'thinking', text: 'b' },
    { type: 'text', text: 'c' },
    { type: 'text', text: 'd' },
    { type: 'text', text: 'e' },
    call(0, '{'),
    call(0, '}'),
    call(1, ''),
    { type: 'text', text: 'f' },
  ];
  expect(mergeDeltas(events)).toEqual([
    { type: 'thinking', text: 'ab' },
    { type: 'text', text: 'cde' },
    call(0, '{}'),
    call(1, ''),
    { type: 'text', text: 'f' },
  ]);
  expect(mergeDeltas([])).toEqual([]);
});
