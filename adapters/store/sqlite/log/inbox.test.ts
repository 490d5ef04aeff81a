import { expect, test } from 'vitest';
import { toNotice } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { toDatabaseFile } from '../open-database.ts';
import { recoverDatabase } from '../recovery/recover.ts';
import { createSqliteStore } from '../sqlite-store.ts';

const NEWER = '{"type":"future.command","id":"bad"}';

/** A session with a command that is waiting, and one whose row has the given text. */
async function fill(home: string, text: string): Promise<void> {
  {
    using store = createSqliteStore({ home });
    for (const session of ['A', 'B']) {
      const lease = (await store.claim(session))!;
      await store.append(session, [toNotice('1')], { lease });
      await store.send(session, { type: 'cancel', id: 'good' });
    }
  }
  const database = new Database(toDatabaseFile(home));
  const sql = "INSERT INTO inbox (session_id, command_id, command, received_at) VALUES ('A', 'bad', ?, '')";
  database.run(sql, text);
  database.close();
}

const DAMAGED = [
  ['no JSON', 'no JSON'],
  ['no object', '[]'],
  ['without a type', '{"id":"bad"}'],
  ['without the fields of its type', '{"type":"approve","id":"bad"}'],
  ['of another id', '{"type":"cancel","id":"other"}'],
] as const;

test.for([['of a newer version', NEWER], ...DAMAGED])(
  'a command that is %s is refused, and stays',
  async ([, text]) => {
    using home = createTemporaryHome();
    await fill(home.path, text);
    using store = createSqliteStore({ home: home.path });
    await expect(store.inbox('A')).rejects.toMatchObject({
      code: 'store.corrupt',
      message: expect.stringContaining('bad'),
    });
    // Lists show the others, and other sessions continue.
    expect(store.view.inbox('A').map(({ id }) => id)).toEqual(['good']);
    expect((await store.inbox('B')).map(({ id }) => id)).toEqual(['good']);
    await expect(store.inbox('A')).rejects.toMatchObject({ code: 'store.corrupt' });
  },
);

test.for(DAMAGED)('a command that is %s is reported by an audit, and recovery leaves it out', async ([, text]) => {
  using home = createTemporaryHome();
  await fill(home.path, text);
  {
    using store = createSqliteStore({ home: home.path });
    expect(await store.audit()).toMatchObject({
      intact: false,
      host: { intact: true },
      sessions: [{ session: 'A', report: { intact: false, records: 1 } }, { report: { intact: true } }],
    });
  }
  expect(recoverDatabase(home.path)).toMatchObject({ events: 2, commands: 2, lostCommands: 1 });
  using store = createSqliteStore({ home: home.path });
  expect((await store.inbox('A')).map(({ id }) => id)).toEqual(['good']);
  // The recovery is on record.
  expect(await store.audit()).toMatchObject({ intact: false, recoveries: [{ unread: ['inbox'] }] });
});

test('a command of a newer version is no damage, and recovery keeps it', async () => {
  using home = createTemporaryHome();
  await fill(home.path, NEWER);
  expect(recoverDatabase(home.path)).toMatchObject({ commands: 3, lostCommands: 0 });
  using store = createSqliteStore({ home: home.path });
  expect(await store.audit()).toMatchObject({ intact: true, recoveries: [] });
  await expect(store.inbox('A')).rejects.toMatchObject({ code: 'store.corrupt' });
});
