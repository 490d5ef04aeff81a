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

test('an empty address is the home page, an unknown one is not found', () => {
  for (const hash of ['', '#', '#/']) expect(parseRoute(hash)).toEqual({ page: 'home' });
  for (const address of ['#/nowhere', '#/s', '#/s/', '#/s/x/unknown?seq=-1'])
    expect(parseRoute(address)).toEqual({ page: 'unknown', address });
});
