import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import { findSockets } from './sockets.ts';

const place = createSandboxFixture();
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  place[Symbol.dispose]();
});

const [own, other] = [join(place.root, 'own'), join(place.root, 'other')];
for (const folder of [own, other]) mkdirSync(folder);

async function listen(path: string): Promise<string> {
  const server = createServer();
  servers.push(server);
  await once(server.listen(path), 'listening');
  return path;
}

test('sockets of this machine are found wherever they are shown, by the kernel alone', async () => {
  const [first, second] = [await listen(join(own, 'a.sock')), await listen(join(other, 'b.sock'))];
  await listen(join(place.root, 'unseen.sock'));
  const scope = { shown: [own, other], writable: [own], sandboxes: () => [], network: false, since: 0 };
  expect(findSockets([], scope).sort()).toEqual([second, first].sort());
  // With a network a command is one of them: what is made where it writes may be its own.
  expect(findSockets([], { ...scope, network: true })).toEqual([second]);
  expect(findSockets([], { ...scope, network: true, since: Number.MAX_SAFE_INTEGER })).toHaveLength(2);
  writeFileSync(join(own, 'file'), '');
  expect(findSockets([join(own, 'file')], scope)).not.toContain(join(own, 'file'));
});
