import type { Clock, SessionRow, Store } from '@klaus/core/agent';
import { KlausError, type Command, type Event, type HostEvent, type HostEventBody } from '@klaus/core/protocol';
import type { BlobStore } from '../shared/blob-store.ts';
import type { Redact } from '../shared/host-record.ts';
import { openDatabase, type Database, type DatabaseOptions, type Sql } from './database.ts';
import { LiveRelay } from './live/live-relay.ts';
import { createLeases, type Leases } from './leases/leases.ts';
import { Appender } from './log/appender.ts';
import type { Append, Written } from './log/append.ts';
import { settleAll } from './log/write-group.ts';
import { appendHostRecords } from './log/host-chain.ts';
import { putCommand, readInbox } from './log/inbox.ts';
import { readBatches } from './log/log.ts';
import { createOutbox } from './log/outbox.ts';
import { retryLost } from './log/retry.ts';
import { recordInHostChain } from './log/session-records.ts';
import { isRecorded } from '../shared/session-records.ts';
import { needsInherited, type Projected } from './projections/project-events.ts';
import { createStateCache } from './log/state-cache.ts';
import { migrate } from './migrations/migrate.ts';
import type { InheritedCache } from './projections/inherited.ts';
import { Announcer } from './notify/announcer.ts';
import { CHANNEL, toPayload, type Change } from './notify/change.ts';
import { openListener, type Listener } from './notify/listener.ts';
import { Notifier } from './notify/notifier.ts';

export interface LogStoreOptions extends DatabaseOptions {
  clock: Pick<Clock, 'now'>;
  blobs: BlobStore;
  /** Redacts secrets before a write to the host chain. Default: no redaction. */
  redact?: Redact;
  /** Milliseconds in which a write is tried again over new connections. Default 10,000. */
  retryMs?: number;
  inherited: InheritedCache;
  /** Updates the projections by events of one session, in the transaction that appends them. */
  project(sql: Sql, events: readonly Event[]): Promise<void>;
  /** The same for plain events, whose statements need nothing that is stored. */
  projectPlain(events: readonly Event[]): Projected;
  /** Reads the row of a session. */
  readRow: (sql: Sql, session: string) => Promise<SessionRow | undefined>;
  /** Called before the listeners for commands and lists, with a change of any process; undefined after notifications were missed. */
  apply: (change: Change | undefined) => Promise<void>;
  /** True: in-flight text of other processes reaches the listeners of this one. Default false. */
  receivesLive?: boolean;
}

/** The log, the inbox and the leases in Postgres, with what the queries need of them. */
export interface LogStore extends Store {
  readonly database: Database;
  readonly notifier: Notifier;
  readonly leases: Leases;
  readonly outbox: ReturnType<typeof createOutbox>;
  /** Number of this process in the table `leases`. */
  holder(): number;
  /** Reports a change that is neither an event nor a command to all processes. */
  touched(session?: string): Promise<void>;
  /** Commits pending writes, releases all leases, and closes. Idempotent. */
  close(): Promise<void>;
}

/** Connects, and creates or updates the schema. @throws KlausError `store.busy`, `config`, `store.corrupt`. */
export async function openLogStore(options: LogStoreOptions): Promise<LogStore> {
  const { clock, blobs, redact, retryMs = 10_000 } = options;
  const database = openDatabase(options);
  let listener: Listener | undefined;
  const getListener = (): Listener => listener!;
  const holder = (): number => getListener().holder;
  const notifier = new Notifier({
    read: (session, after) => readBatches(database, session, after),
    apply: options.apply,
    holder,
  });
  const live = new LiveRelay({ listener: getListener, receives: options.receivesLive ?? false });
  const outbox = createOutbox({ database, listener: getListener, readRow: options.readRow });
  const { appender, announcer, leases } = createWriting({
    database,
    listener: getListener,
    notifier,
    outbox,
    options,
    retryMs,
  });
  try {
    await migrate(database);
    listener = await openListener({
      ...options,
      // Before it is connected nothing is subscribed, and the view is not read yet.
      onChange(change) {
        if (listener) notifier.received(change);
      },
      onOther(payload) {
        if (listener) live.received(payload);
      },
      onReconnect() {
        void leases.renew().catch(() => {});
        notifier.missed();
        live.reconnected();
      },
    });
  } catch (error) {
    await leases.close();
    await database.close();
    throw error;
  }
  const touched = async (session = ''): Promise<void> => {
    const change: Change = { kind: 'other', holder: holder(), session, seq: 0 };
    await notifyOf(database, change);
    await notifier.committed(change);
  };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await appender.flush();
    await leases.close();
    await announcer.close();
    await notifier.close();
    live.close();
    await listener?.close();
    await database.close();
  };
  return {
    database,
    notifier,
    leases,
    outbox,
    holder,
    touched,
    async append(session, drafts, { lease, consume = [] }) {
      if (lease.session !== session)
        throw new KlausError('internal', `The lease belongs to another session than ${session}.`);
      if (!leases.holds(lease)) throw new KlausError('store.busy', `The lease of session ${session} was released.`);
      live.appending(session, drafts);
      return appender.append(drafts, { lease, consume });
    },
    async appendHost(body) {
      const change: Change = { kind: 'other', holder: holder(), session: '', seq: 0 };
      const event = await appendHost(database, { body, at: clock.now(), redact, retryMs, change });
      await notifier.committed(change);
      return event;
    },
    read: (session, after = 0) => readBatches(database, session, after),
    send: (session, command) => send({ database, notifier }, { session, command, holder: holder(), retryMs }),
    inbox: (session) => readInbox(database, session),
    claim: (session, claiming) => leases.claim(session, claiming),
    subscribe: (session, after, listen) => notifier.subscribe(session, after, listen),
    emitLive: (piece, clean) => live.emit(piece, clean),
    onLive: (listen) => live.listen(listen),
    isWatched: () => live.isWatched(),
    onSend: (session, wake) => notifier.onSend(session, wake),
    writeBlob: () => blobs.writer(),
    readBlob: (hash) => blobs.read(hash),
    stateCache: createStateCache(database),
    close: () => (closing ??= close()),
  };
}

/** What writes events: appends, the claims that allow them, and the notifications of both. */
function createWriting(parts: {
  database: Database;
  listener: () => Listener;
  notifier: Notifier;
  outbox: ReturnType<typeof createOutbox>;
  options: LogStoreOptions;
  retryMs: number;
}): { appender: Appender; announcer: Announcer; leases: Leases } {
  const { database, listener, notifier, outbox, options, retryMs } = parts;
  const holder = (): number => listener().holder;
  const announcer = new Announcer(database, holder);
  /** Of events about which the other processes, and the listeners of this one, may not know. */
  const announceMissed = (session: string, seq: number): void => {
    announcer.add(session, seq);
    notifier.missed(session);
  };
  const appender = new Appender({
    database,
    retryMs,
    also: (sql, written) => writeAlso(sql, written, { options, outbox }),
    isPlain: (event) => !outbox.isCollecting() && !isRecorded(event) && !needsInherited(event),
    projectPlain: (events) => options.projectPlain(events),
    async committed(session, events) {
      const seq = events.at(-1)!.seq;
      announcer.add(session, seq);
      await notifier.committed({ kind: 'events', holder: holder(), session, seq }, events);
    },
    lost(lease, seq) {
      leases.lose(lease);
      announceMissed(lease.session, seq);
    },
  });
  const flush = async (): Promise<void> => {
    await appender.flush();
    await announcer.flush();
  };
  const leases = createLeases({ database, listener, flush, announceMissed, retryMs });
  return { appender, announcer, leases };
}

/** What belongs to events in addition to their records: projections, notifications, and the host chain. */
async function writeAlso(
  sql: Sql,
  written: readonly { append: Append; written: Written }[],
  { options, outbox }: { options: LogStoreOptions; outbox: ReturnType<typeof createOutbox> },
): Promise<void> {
  const { clock, inherited, redact } = options;
  const events = new Map<string, Event[]>();
  for (const one of written) {
    const { session } = one.append.lease;
    events.set(session, [...(events.get(session) ?? []), ...one.written.events]);
  }
  await settleAll([...events.values()].map((own) => options.project(sql, own)));
  await outbox.take(sql, [...events.values()].flat(), clock.now());
  // Last, because the head of the host chain is locked from here to the end of the transaction.
  const records = written.map((one) => one.written);
  await recordInHostChain(sql, records, { inherited, redact });
}

async function send(
  { database, notifier }: { database: Database; notifier: Notifier },
  { retryMs, ...put }: { session: string; command: Command; holder: number; retryMs: number },
): Promise<void> {
  let isRepeated = false;
  const arrival = await retryLost((attempt) => {
    isRepeated = attempt > 0;
    return putCommand(database, put);
  }, retryMs);
  // Of a repeated write it is not known which attempt stored the command: one wake too many is harmless.
  if (arrival === undefined && !isRepeated) return;
  await notifier.committed({ kind: 'inbox', holder: put.holder, session: put.session, seq: arrival ?? 0 });
}

/** Sends a change to all processes, with the commit of the transaction. */
async function notifyOf(sql: Sql, change: Change): Promise<void> {
  await sql.all(`SELECT pg_notify('${CHANNEL}', $1)`, [toPayload(change)]);
}

/** After a commit of which it is not known whether it happened, the event is looked for before it is written again. */
async function appendHost(
  database: Database,
  options: { body: HostEventBody; at: number; redact: Redact | undefined; retryMs: number; change: Change },
): Promise<HostEvent> {
  const { body, at, redact } = options;
  let written: HostEvent | undefined;
  return retryLost(
    () =>
      database.transaction(async (sql) => {
        // The lock also waits for an earlier attempt whose commit is still running.
        await sql.all('SELECT 1 FROM host_head WHERE id = 1 FOR UPDATE');
        const record = written && JSON.stringify(written);
        if (written && record !== undefined) {
          const row = await sql.get<{ record: string }>('SELECT record FROM host_events WHERE seq = $1', [written.seq]);
          if (row?.record === record) return written;
        }
        [written] = await appendHostRecords(sql, [{ body, at }], redact);
        await notifyOf(sql, options.change);
        return written!;
      }),
    options.retryMs,
  );
}
