import { expect, test } from 'vitest';
import { PAGE, ROOT, toParent, toRows, type TreeNode } from './tree-rows.ts';

const node = (name: string, more: Partial<TreeNode> = {}): TreeNode => ({ name, text: '', notes: [], ...more });

const NODES = [
  node('a', { children: [node('b', { children: [node('c')] }), node('d')], omitted: 2 }),
  node('many', { children: Array.from({ length: PAGE + 5 }, (_, at) => node(`${at}`)) }),
  node('empty', { omitted: 1 }),
];

const keys = (open: [string, number][]) => toRows(NODES, new Map(open)).map(({ key }) => key);

test('only children of open nodes are lines', () => {
  expect(keys([])).toEqual(['0', '1', '2']);
  // An open node below a closed one is not visible.
  expect(keys([['0.0', PAGE]])).toEqual(['0', '1', '2']);
  expect(
    keys([
      ['0', PAGE],
      ['0.0', PAGE],
    ]),
  ).toEqual(['0', '0.0', '0.0.0', '0.1', '0-', '1', '2']);
});

test('lines have their level, their position and what can be opened', () => {
  const rows = toRows(NODES, new Map([['0', PAGE]]));
  expect(rows.map(({ level, position, siblings, isOpen }) => [level, position, siblings, isOpen])).toEqual([
    [1, 1, 3, true],
    [2, 1, 3, false],
    [2, 2, 3, undefined],
    [2, 3, 3, undefined],
    [1, 2, 3, false],
    [1, 3, 3, false],
  ]);
});

test('long lists are shown in parts', () => {
  const rows = toRows(NODES, new Map([['1', PAGE]]));
  expect(rows.find(({ kind }) => kind === 'more')).toMatchObject({ key: '1+', count: 5, level: 2 });
  expect(toRows(NODES, new Map([['1', 2 * PAGE]]))).toHaveLength(3 + PAGE + 5);
});

test('each line knows the node around it', () => {
  const rows = toRows(
    NODES,
    new Map([
      ['0', PAGE],
      ['0.0', PAGE],
      ['1', PAGE],
    ]),
  );
  const parents = new Map(rows.map((row) => [row.key, toParent(row)]));
  expect(parents.get('0.0.0')).toBe('0.0');
  expect(parents.get('0')).toBe(ROOT);
  expect(parents.get('0-')).toBe('0');
  expect(parents.get('1+')).toBe('1');
});
