import { expect, test } from 'vitest';
import type { Row } from '../conversation/rows.ts';
import { findMatches } from './find-matches.ts';

const call = (id: string, output: string) =>
  ({ kind: 'call', id, name: 'read_file', input: { path: 'Needle.ts' }, result: { output } }) as never;
const rows = [
  { kind: 'entry', key: 'a', entry: { kind: 'user', id: 'u', text: 'needle and NEEDLE' } },
  { kind: 'answer', key: 'b', id: 'm', thinking: 'a needle', text: 'none', isFirst: true, isLast: true },
  { kind: 'group', key: 'c', calls: [call('1', 'nothing'), call('2', '\u001b[31mnee\u001b[0mdle')] },
  { kind: 'working', key: 'd' },
] as unknown as Row[];

test('occurrences are found in prompts, thinking, calls and output, each with what must be opened', () => {
  expect(findMatches(rows, 'Needle')).toEqual([
    { row: 0, nth: 0, opens: ['said u'] },
    { row: 0, nth: 1, opens: ['said u'] },
    { row: 1, nth: 0, opens: ['thinking m'] },
    { row: 2, nth: 0, opens: ['group 1'] },
    { row: 2, nth: 1, opens: ['group 1'] },
    { row: 2, nth: 2, opens: ['group 1', 'call 2', 'output 2'] },
  ]);
  expect(findMatches(rows, '')).toEqual([]);
  expect(findMatches(rows, '.*')).toEqual([]);
});
