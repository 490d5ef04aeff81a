import { expect, test } from 'vitest';
import { createHeldConnections } from './held-connections.ts';

const session = (id: string, inMs = 60_000) => ({
  role: 'viewer' as const,
  session: { id, until: Date.now() + inMs },
});

test('a connection ends when its sign-in expires', async () => {
  const connections = createHeldConnections();
  const expired = (inMs: number) =>
    new Promise((resolve) => void connections.hold(session('a', inMs), () => resolve('closed')));
  expect(await expired(1)).toBe('closed');
  expect(await expired(-60_000)).toBe('closed');
});

test('the end of a sign-in closes its connections, without those that are closed already', () => {
  const connections = createHeldConnections();
  const closed: string[] = [];
  const [a, b] = [session('a'), session('b')];
  connections.hold(a, () => closed.push('a1'));
  const forget = connections.hold(a, () => closed.push('a2'));
  connections.hold(b, () => closed.push('b'));
  connections.hold({ role: 'admin' }, () => closed.push('owner'));
  forget();
  connections.end({ role: 'admin' });
  connections.end(a);
  expect(closed).toEqual(['a1']);
});
