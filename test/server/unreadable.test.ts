// Covers apps/server, adapters/store: sessions with an unreadable log.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import { startServer } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { follow, startServeProcess, type ServeProcess } from '../fixtures/server.ts';

const SCRIPT = { steps: [{ when: { tools: false }, reply: { text: 'A title' } }, { reply: { text: 'Done.' } }] };

/** Puts a record where the session's newest is, as a Klaus of a later version would write it. */
function writeAsLater(place: TestHome, session: string): void {
  using database = new DatabaseSync(join(place.home, 'klaus.db'));
  database
    .prepare(
      `INSERT INTO events (session_id, seq, type, record)
       SELECT session_id, seq + 1, type, json_set(record, '$.v', 99) FROM events
       WHERE session_id = ? ORDER BY seq DESC LIMIT 1`,
    )
    .run(session);
}

async function say(served: ServeProcess, text: string): Promise<string> {
  const { session } = await served.client.openSession({ body: { text } });
  const followed = follow(served.client, session);
  await followed.until('run.finished');
  await followed.stop();
  return session;
}

test('an unreadable log is reported, and affects no other session', async () => {
  using place = createTestHome();
  const model = await startServer(SCRIPT);
  const served = await startServeProcess(place, model);
  const [session, other] = [await say(served, 'one'), await say(served, 'two')];
  const watching = follow(served.client, session);
  await watching.until('run.finished');
  const socket = io(served.url, { extraHeaders: served.headers });
  await socket.emitWithAck('join_session', { sessionId: session });
  const heard = new Promise((resolve) => socket.once('error', resolve));
  // Who follows it reads it while the other process writes.
  writeAsLater(place, session);
  await expect
    .poll(() => watching.states.at(-1))
    .toMatchObject({ state: 'waiting', reason: expect.stringContaining('version 99') });
  // Who comes later reads it from the beginning.
  const late = follow(served.client, session);
  await expect
    .poll(() => late.states.at(-1))
    .toMatchObject({ state: 'waiting', reason: expect.stringContaining('version 99') });
  // A client of the older protocol too, and nothing of it ends with the log.
  expect(await heard).toMatchObject({ sessionId: session, error: expect.stringContaining('version 99') });
  expect(await socket.emitWithAck('join_session', { sessionId: session })).toMatchObject({ ok: false });
  await expect(served.client.log({ params: { id: session }, query: { limit: 100 } })).rejects.toThrow(/version 99/);
  expect(await say(served, 'three')).not.toBe(session);
  const again = follow(served.client, other);
  await again.until('run.finished');
  for (const each of [watching, late, again]) await each.stop();
  socket.disconnect();
  served.process.kill('SIGTERM');
  await expect(served.process.ended).resolves.toMatchObject({ code: 0 });
  await model.close();
});
