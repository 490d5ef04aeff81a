import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { contains } from './paths.ts';

const PATHS = [
  ...[
    '/',
    '/a',
    '/a/',
    '/a/b',
    '/a/bc',
    '/ab',
    '/a//b',
    '/a/./b',
    '/a/../b',
    '/a/b/..',
    '/a/..b',
    '/a/...',
    '/..',
    '/.',
  ],
  ...['/a/.b', '/a/b.', '/a/b/.', '/.a/b', '/a/b c', '/a\nb', '/a/ü'],
];

test('has the same result as `relative` for normalized and other paths', () => {
  for (const parent of PATHS)
    for (const child of PATHS) {
      const inside = relative(parent, child);
      expect({ parent, child, inside: contains(parent, child) }).toEqual({
        parent,
        child,
        inside: inside !== '..' && !inside.startsWith('../'),
      });
    }
});
