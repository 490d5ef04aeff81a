import { expect, test } from 'vitest';
import { toRows } from '../debug/tree-rows.ts';
import { MAX_MATCHES, searchNodes, toJsonNodes } from './json-nodes.ts';

test('nodes have a name, a value and a path', () => {
  const [a, b] = toJsonNodes({ a: [1, { 'x y': 'text' }], b: null });
  expect([a!.text, b!.text]).toEqual(['[2]', 'null']);
  expect(a!.children![1]!.children![0]).toMatchObject({ name: 'x y', text: '"text"', path: '$.a[1]["x y"]' });
  expect(toJsonNodes(5)).toMatchObject([{ name: '$', text: '5', path: '$' }]);
});

test('a search keeps matches and what is around them', () => {
  const { nodes, count } = searchNodes(toJsonNodes({ one: { two: { three: 'value' } }, other: 1 }), 'THREE');
  expect(count).toBe(1);
  expect(nodes.map(({ name }) => name)).toEqual(['one']);
  expect(nodes[0]!.children![0]!.children![0]).toMatchObject({ name: 'three' });
  expect(searchNodes(toJsonNodes({ a: 1 }), 'zzz')).toEqual({ nodes: [], count: 0 });
  expect(searchNodes(toJsonNodes(Array.from({ length: 2_000 }, () => 'x')), 'x').count).toBe(MAX_MATCHES);
});

test('large and deep documents are read only where they are open', () => {
  expect(toRows(toJsonNodes(Array.from({ length: 100_000 }, (_, at) => at)), new Map()).length).toBe(101);
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
  expect(searchNodes(toJsonNodes(deep), 'x').count).toBe(0);
});
