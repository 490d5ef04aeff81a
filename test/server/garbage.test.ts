// Covers apps/server/http, apps/server/sockets: malformed requests.
import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { ROUTES, type Route } from '../../apps/server/contract/index.ts';
import { startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { follow, rawRequest, startServeProcess } from '../fixtures/server.ts';
import { createChance, type Chance } from '../undo/chance.ts';

/** Other garbage: `GARBAGE_SEED=7 vitest run test/server/garbage.test.ts`; more of it: `GARBAGE_ROUNDS`. */
const SEED = Number(process.env['GARBAGE_SEED'] ?? 1);
const ROUNDS = Number(process.env['GARBAGE_ROUNDS'] ?? 6);

const SCRIPT = { steps: [{ when: { tools: false }, reply: { text: 'A title' } }, { reply: { text: 'Done.' } }] };

/** Hostile strings. */
const WORDS = [
  '',
  ' ',
  '0',
  '-1',
  '1e308',
  'NaN',
  'null',
  'true',
  '..',
  '../../../etc/passwd',
  '/etc/passwd',
  '.git/config',
  '\u0000',
  'a\nb\r\nc',
  '\ud800',
  '🂡'.repeat(300),
  'x'.repeat(70_000),
  "' OR 1=1 --",
  '" AND (',
  'NEAR(*',
  '%',
  '%00%2e%2e',
  '__proto__',
  'constructor',
  '[object Object]',
  '9007199254740993',
];

/** Any value. @param known Words with a meaning for the server. */
function toGarbage(chance: Chance, known: readonly string[], depth = 0): unknown {
  const kinds: (() => unknown)[] = [
    () => chance.pick(WORDS),
    () => chance.pick(known),
    () => chance.pick([0, -1, 1.5, 1e308, -0, 2 ** 53, 20]),
    () => chance.pick([true, false, null]),
  ];
  if (depth < 3) {
    kinds.push(
      () => Array.from({ length: chance.number(4) }, () => toGarbage(chance, known, depth + 1)),
      () => Object.fromEntries([[chance.pick(WORDS), toGarbage(chance, known, depth + 1)]]),
      () => ({ type: chance.pick(['text', 'file', 'image', 'x']), text: toGarbage(chance, known, depth + 1) }),
    );
  }
  return chance.pick(kinds)();
}

/** A request for a route, with garbage in some of what it takes and in some of what it does not. */
function toRequest(route: Route, chance: Chance, known: readonly string[]): Parameters<typeof rawRequest>[1] {
  const word = () => (chance.number(2) === 0 ? chance.pick(known) : chance.pick(WORDS)).slice(0, 2_000);
  const path = route.path.replace(/:\w+|\*$/g, () => encodeURIComponent(word().toWellFormed()));
  const query = new URLSearchParams();
  for (const key of [...Object.keys(route.query?.shape ?? {}), 'x'])
    if (chance.number(2) === 0) query.append(key, word());
  const entries = Object.keys(route.body?.shape ?? {}).flatMap((key) =>
    chance.number(3) === 0 ? [] : [[key, toGarbage(chance, known)]],
  );
  const json = JSON.stringify(chance.number(8) === 0 ? toGarbage(chance, known) : Object.fromEntries(entries));
  const body = chance.number(12) === 0 ? json.slice(0, -1) : json;
  const type = chance.number(12) === 0 ? 'text/plain' : 'application/json';
  const { method } = route;
  return {
    method,
    path: `${path}?${query.toString()}`,
    headers: { 'content-type': type },
    ...(method === 'POST' || method === 'PATCH' ? { body } : {}),
  };
}

test('garbage breaks nothing and passes no check', async () => {
  using place = createTestHome();
  const model = await startServer(SCRIPT);
  const served = await startServeProcess(place, model);
  const { session } = await served.client.openSession({ body: { text: 'one' } });
  const followed = follow(served.client, session);
  await followed.until('run.finished');
  const known = [session, session.slice(0, 12), 'README.md', place.workspace, 'ask', 'claude-sonnet-5-5', '1'];
  const chance = createChance(SEED);
  const odd: unknown[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, route] of Object.entries<Route>(ROUTES)) {
      // Too many wrong tokens lock the address out for a while.
      if (name === 'signIn') continue;
      // Each demo has a folder of its own, which stays.
      if (name === 'startDemo') continue;
      const request = toRequest(route, chance, known);
      const headers = { ...request.headers, ...served.headers };
      const { status, body, headers: said } = await rawRequest(served, { ...request, headers });
      const isProblem = status < 400 || said['content-type']?.includes('application/problem+json');
      if (status >= 500 || !isProblem || /passwd|root:x:0/.test(status < 400 ? body : ''))
        odd.push({ name, request, status, body: body.slice(0, 300) });
    }
  }
  expect(odd).toEqual([]);
  const socket = io(served.url, { extraHeaders: served.headers, reconnection: false });
  const chat = new WebSocket(`${served.url.replace('http', 'ws')}/ws/chat/klaus`, { headers: served.headers });
  await new Promise((resolve) => chat.once('open', resolve));
  const names = ['prompt', 'join_session', 'leave_session', 'cancel', 'patch_approval_response', 'x', 'error'];
  for (let at = 0; at < ROUNDS * 20; at++) {
    socket.emit(chance.pick(names), toGarbage(chance, known), toGarbage(chance, known));
    const text = JSON.stringify({ type: chance.pick(['message', 'ping', 'x']), content: toGarbage(chance, known) });
    chat.send(chance.number(5) === 0 ? text.slice(1) : text);
  }
  chat.send(new Uint8Array([0xff, 0xfe, 0x00]));
  // Both answer in order: what was sent before has been looked at.
  await new Promise<void>((resolve) => {
    if (socket.connected) resolve();
    else socket.once('connect', () => resolve());
  });
  const { status } = await rawRequest(served, { path: '/health' });
  expect(status).toBe(200);
  const again = await served.client.openSession({ body: { text: 'two' } });
  const after = follow(served.client, again.session);
  await after.until('run.finished');
  for (const each of [followed, after]) await each.stop();
  socket.disconnect();
  chat.terminate();
  served.process.kill('SIGTERM');
  await expect(served.process.ended).resolves.toMatchObject({ code: 0 });
  await model.close();
});
