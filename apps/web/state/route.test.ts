import { expect, test } from 'vitest';
import { parseRoute, toHash, type Route } from './route.ts';

test('a route is restored from its address', () => {
  const routes: Route[] = [
    { page: 'home' },
    { page: 'usage' },
    { page: 'guard' },
    { page: 'agents' },
    { page: 'agents', name: 'code-reviewer' },
    { page: 'session', id: '01J', tab: 'conversation' },
    { page: 'session', id: '01J', tab: 'conversation', seq: 12 },
    { page: 'session', id: '01J', tab: 'files', path: 'a b/ü#?&.ts' },
    { page: 'session', id: 'a/b', tab: 'gate' },
  ];
  for (const route of routes) expect(parseRoute(toHash(route))).toEqual(route);
});

test('an unknown address is the home page', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#/s', '#/s/']) expect(parseRoute(hash)).toEqual({ page: 'home' });
  expect(parseRoute('#/s/x/unknown?seq=-1')).toEqual({ page: 'session', id: 'x', tab: 'conversation' });
});
