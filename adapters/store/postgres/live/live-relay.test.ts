import { readLog } from '@klaus/core/agent';
import type { Live } from '@klaus/core/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, openPostgres, type PostgresDatabases } from '../../fixtures/postgres-server.ts';
import { toNotice } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createPostgresStore, createPostgresWorkerStore, type PostgresWorkerStore } from '../postgres-store.ts';
import { LIVE_CHANNEL } from './live-payload.ts';
import { LIVE_LOCK_CLASS } from './live-relay.ts';

const keep = (text: string): string => text;
const SECRET = 'hunter2-hunter2-hunter2';
const hide = (text: string): string => text.replaceAll(SECRET, '[secret]');

describe.skipIf(!findPostgres())('in-flight text between processes (needs Postgres)', () => {
  let server: PostgresDatabases;
  const stack = new AsyncDisposableStack();
  beforeAll(async () => void (server = stack.use(await openPostgres())));
  afterAll(() => stack.disposeAsync());

  const home = stack.use(createTemporaryHome());
  const keepOpen = <T extends PostgresWorkerStore>(store: T): T => {
    stack.defer(() => store.close());
    return store;
  };
  const openShowing = async (url: string) => keepOpen(await createPostgresStore({ url, home: home.path }));
  const openSending = async (url: string) => keepOpen(await createPostgresWorkerStore({ url, home: home.path }));
  /** A process that works, and one that shows what it does. */
  const openBoth = async () => {
    const url = await server.createDatabase();
    const [sending, showing] = [await openSending(url), await openShowing(url)];
    const seen: Live[] = [];
    const stop = showing.onLive((live) => seen.push(live));
    await listening(url);
    return { url, sending, showing, seen, stop };
  };
  /** Resolves when a number of connections receive in-flight text. */
  const listening = async (url: string, count = 1): Promise<void> => {
    const locks = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LIVE_LOCK_CLASS}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await expect.poll(() => server.query(locks, [], url)).toHaveLength(count);
  };
  /** All payloads of the channel. */
  const listenBare = async (url: string): Promise<string[]> => {
    const client = await server.connect(url);
    client.on('error', () => {});
    stack.defer(() => client.end());
    const payloads: string[] = [];
    client.on('notification', ({ payload }) => payloads.push(payload!));
    await client.query(`LISTEN ${LIVE_CHANNEL}`);
    return payloads;
  };
  const createMessage = (store: PostgresWorkerStore, message: string, session = 'A') => {
    let offset = 0;
    return (text: string, redact = keep) => {
      store.emitLive({ type: 'message.delta', session, message, part: 'text', offset, text }, redact);
      offset += text.length;
    };
  };
  /** The text of a message as the pieces give it, which must follow each other. */
  const toText = (seen: readonly Live[], message: string): string => {
    let text = '';
    for (const live of seen) {
      if (live.type !== 'message.delta' || live.message !== message) continue;
      expect(live.offset).toBe(text.length);
      text += live.text;
    }
    return text;
  };

  test('text of several sessions arrives in order, in few notifications, and nowhere twice', async () => {
    const url = await server.createDatabase();
    const payloads = await listenBare(url);
    const [sending, showing] = [await openShowing(url), await openShowing(url)];
    const [own, seen]: Live[][] = [[], []];
    sending.onLive((live) => own!.push(live));
    showing.onLive((live) => seen!.push(live));
    await listening(url, 2);
    const words = Array.from({ length: 300 }, (_, at) => `wörd${at} 🧮 `);
    const [one, two] = [createMessage(sending, 'one'), createMessage(sending, 'two', 'B')];
    for (const word of words) {
      one(word);
      two(word.toUpperCase());
      await new Promise(setImmediate);
    }
    const text = words.join('');
    await expect.poll(() => toText(seen!, 'one')).toBe(text);
    await expect.poll(() => toText(seen!, 'two')).toBe(text.toUpperCase());
    expect(own).toHaveLength(600);
    expect(payloads.length).toBeLessThan(100);
    expect(seen!.map((live) => live.session).toSorted()).toEqual(
      payloads.map((payload) => (payload.includes('"session":"A"') ? 'A' : 'B')).toSorted(),
    );
    expect(await readLog(sending, 'A')).toEqual([]);
  });

  test('a large text is split between characters, and is complete', { tags: ['long'] }, async () => {
    const { url, sending, seen } = await openBoth();
    const payloads = await listenBare(url);
    const text = 'a🧮\0\ud800ü"\\ '.repeat(3_000);
    createMessage(sending, 'large')(text);
    sending.emitLive({ type: 'tool.progress', session: 'A', call: 'c', offset: 0, text: 'small ' }, keep);
    await expect.poll(() => seen.at(-1)).toMatchObject({ type: 'tool.progress', offset: 0, text: 'small ' });
    expect(toText(seen, 'large')).toBe(text);
    expect(payloads.length).toBeGreaterThan(10);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    for (const live of seen) if ('text' in live) expect(live.text).not.toMatch(/[\uD800-\uDBFF]$|^[\uDC00-\uDFFF]/);
  });

  test('a discarded message drops what waits of it, and is reported after what was sent', async () => {
    const { sending, seen } = await openBoth();
    const first = createMessage(sending, 'first');
    first('sent before ');
    await expect.poll(() => toText(seen, 'first')).toBe('sent before ');
    first('never sent ');
    sending.emitLive({ type: 'message.discarded', session: 'A', message: 'first' }, keep);
    createMessage(sending, 'second')('another ');
    await expect.poll(() => toText(seen, 'second')).toBe('another ');
    expect(seen.map((live) => live.type)).toEqual(['message.delta', 'message.discarded', 'message.delta']);
    expect(toText(seen, 'first')).toBe('sent before ');
  });

  test('text that an append makes durable is not sent after it', async () => {
    const { sending, seen } = await openBoth();
    const lease = (await sending.claim('A'))!;
    createMessage(sending, 'done')('the complete message ');
    createMessage(sending, 'other')('another message ');
    const message = { id: 'done', role: 'assistant', origin: 'model', parts: [] } as const;
    await sending.append(
      'A',
      [{ type: 'message.added', run: 'R', turn: 1, message: { ...message, parts: [] }, at: 0 }],
      {
        lease,
      },
    );
    await expect.poll(() => toText(seen, 'other')).toBe('another message ');
    expect(toText(seen, 'done')).toBe('');
  });

  test('nothing is sent while no process shows it, nor without a redactor', async () => {
    const url = await server.createDatabase();
    const [sending, showing] = [await openSending(url), await openShowing(url)];
    const payloads = await listenBare(url);
    const say = createMessage(sending, 'm');
    say('not shown ');
    await expect.poll(() => sending.isWatched()).toBe(false);
    // A listener of a process that shows nothing of others, and the own listener of the sender, count for nothing.
    const other = await openSending(url);
    other.onLive(() => {});
    const stopOwn = sending.onLive(() => {});
    expect(sending.isWatched()).toBe(true);
    stopOwn();
    const seen: Live[] = [];
    const stop = showing.onLive((live) => seen.push(live));
    await listening(url);
    await expect.poll(() => sending.isWatched()).toBe(true);
    sending.emitLive({ type: 'tool.progress', session: 'A', call: 'c', offset: 0, text: 'all kept here ' });
    say('shown now ');
    await expect.poll(() => seen.length).toBe(1);
    expect(payloads).toHaveLength(1);
    expect(payloads[0]).toContain('now');
    expect(payloads[0]).not.toContain('kept');
    stop();
    await listening(url, 0);
    await expect
      .poll(() => {
        say('asked again ');
        return sending.isWatched();
      })
      .toBe(false);
    const before = payloads.length;
    say('not sent ');
    createMessage(showing, 'end')('the end ');
    await server.query(`SELECT pg_notify('${LIVE_CHANNEL}', 'end')`, [], url);
    await expect.poll(() => payloads.at(-1)).toBe('end');
    expect(payloads).toHaveLength(before + 1);
  });

  test('a secret that is split over pieces reaches no other process', async () => {
    const { url, sending, seen } = await openBoth();
    const payloads = await listenBare(url);
    const say = createMessage(sending, 'm');
    for (const part of ['the password is hun', 'ter2-hunter2', '-hunter2', ' and no other ', 'word ']) {
      say(part, hide);
      const count = payloads.length;
      await expect.poll(() => payloads.length > count || part.endsWith('2')).toBe(true);
    }
    await expect.poll(() => toText(seen, 'm')).toBe('the password is [secret] and no other word ');
    expect(payloads.join('')).not.toContain('hunter2');
  });

  test('after lost connections of both processes text arrives again, in order', { tags: ['long'] }, async () => {
    const { url, sending, showing, seen } = await openBoth();
    const say = createMessage(sending, 'm');
    let count = 0;
    const numbers = (): number[] =>
      seen.flatMap((live) => ('text' in live ? (live.text.match(/\d+(?= )/g) ?? []).map(Number) : []));
    for (let round = 1; round <= 3; round++) {
      await server.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = $1 AND application_name = 'klaus' AND pid <> pg_backend_pid()`,
        [new URL(url).pathname.slice(1)],
      );
      const before = numbers().at(-1) ?? 0;
      await expect
        .poll(() => {
          say(`n${(count += 1)} `);
          return numbers().at(-1) ?? 0;
        })
        .toBeGreaterThan(before);
    }
    await expect.poll(() => numbers().at(-1)).toBe(count);
    expect(numbers()).toEqual([...new Set(numbers())].toSorted((a, b) => a - b));
    // The log is not affected.
    const lease = (await sending.claim('A'))!;
    await sending.append('A', [toNotice('1')], { lease });
    expect(await readLog(showing, 'A')).toHaveLength(1);
  });

  test('text that is faster than the connection is dropped, and later text arrives', async () => {
    const { sending, seen } = await openBoth();
    const block = 'x'.repeat(999).concat(' ');
    for (let count = 0; count < 20_000; count++) {
      const offset = count * block.length;
      sending.emitLive({ type: 'tool.progress', session: 'A', call: 'c', offset, text: block }, keep);
    }
    sending.emitLive({ type: 'tool.progress', session: 'B', call: 'd', offset: 0, text: 'other session ' }, keep);
    await expect.poll(() => seen.at(-1)).toMatchObject({ session: 'B', text: 'other session ' });
    const size = seen.reduce((sum, live) => sum + ('text' in live ? live.text.length : 0), 0);
    expect(size).toBeLessThan(100_000);
    const offset = 20_000 * block.length;
    sending.emitLive({ type: 'tool.progress', session: 'A', call: 'c', offset, text: 'cut the end ' }, keep);
    await expect.poll(() => seen.at(-1)).toMatchObject({ session: 'A', call: 'c', text: ' the end ' });
  });

  test('a closed store receives and sends nothing more', async () => {
    const { url, sending, showing, seen } = await openBoth();
    const payloads = await listenBare(url);
    const say = createMessage(sending, 'm');
    say('one ');
    await expect.poll(() => seen.length).toBe(1);
    await showing.close();
    createMessage(showing, 'own')('closed ');
    await listening(url, 0);
    say('two ');
    say('three ');
    await sending.close();
    say('four ');
    const last = await openShowing(url);
    last.onLive((live) => seen.push(live));
    await listening(url);
    await server.query(`SELECT pg_notify('${LIVE_CHANNEL}', 'end')`, [], url);
    await expect.poll(() => payloads.at(-1)).toBe('end');
    expect(seen).toHaveLength(1);
    expect(payloads.join('')).not.toContain('four');
  });

  test('payloads of other programs are ignored, and a listener that throws disturbs no other', async () => {
    const { url, sending, seen, showing } = await openBoth();
    const errors: unknown[] = [];
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => errors.push(error));
    try {
      const bug = new Error('a bug in a door');
      showing.onLive(() => {
        throw bug;
      });
      const after: Live[] = [];
      showing.onLive((live) => after.push(live));
      for (const payload of ['', 'x', '1:', '1:{', '1:{"type":"message.delta"}', '1:[]', `x:${JSON.stringify({})}`])
        await server.query(`SELECT pg_notify('${LIVE_CHANNEL}', $1)`, [payload], url);
      createMessage(sending, 'm')('one ');
      await expect.poll(() => after).toHaveLength(1);
      expect(seen).toHaveLength(1);
      expect(errors).toEqual([bug]);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const other of others) process.on('uncaughtException', other);
    }
  });
});
