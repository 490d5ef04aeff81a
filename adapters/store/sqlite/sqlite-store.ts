import type { Clock, Lease, ViewedStore } from '@klaus/core/agent';
import { KlausError, type Live } from '@klaus/core/protocol';
import { recordInHostChain } from './log/session-records.ts';
import { Blobs } from './log/blobs.ts';
import { DEFAULT_RESULT_SIZE } from '../shared/projection-options.ts';
import { createStateCache } from './projections/state-cache.ts';
import { ChangeNotifier } from './log/change-notifier.ts';
import { GroupCommit } from './log/group-commit.ts';
import { appendHostRecord } from './log/host-chain.ts';
import type { Redact } from './../shared/host-record.ts';
import { consumeCommands, putCommand, readInbox } from './log/inbox.ts';
import { createKnowledge } from './queries/knowledge.ts';
import { createLeases } from './locks/leases.ts';
import type { Head } from '../shared/chain-drafts.ts';
import { appendRecords, readBatches } from './log/log.ts';
import { createOutbox } from './log/outbox.ts';
import { toDatabaseFile } from './open-database.ts';
import { openShared } from './open-shared.ts';
import { watchWrites } from './log/write-watch.ts';
import { createRecall } from './recall/recall.ts';
import type { SessionTransfer } from '../transfer/session-transfer.ts';
import { createTransfer } from './transfer/session-transfer.ts';
import { createQueries, createView, type SqliteView } from './queries/queries.ts';

export interface SqliteStoreOptions {
  /** Absolute path of the state folder; created with mode 0700 if missing. */
  home: string;
  /** Default: the machine's clock. */
  clock?: Pick<Clock, 'now' | 'every'>;
  /** Characters of a tool's output that the `messages` and `tool_calls` tables hold. Default 10,240. */
  maxToolResultSize?: number;
  /** Redacts secrets before a write to the host chain. Default: no redaction. */
  redact?: Redact;
}

/** The store of one machine. Closing is synchronous. */
export interface SqliteStore extends ViewedStore, Disposable {
  readonly view: SqliteView;
  readonly transfer: SessionTransfer;
}

const MACHINE_CLOCK: Pick<Clock, 'now' | 'every'> = {
  now: () => Date.now(),
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/**
 * Opens the store in `home` and creates it if it does not exist.
 *
 * @throws KlausError `store.corrupt`, `store.full`, `store.busy` while it is being recovered, `config` when the folder
 *   belongs to another user.
 */
export function createSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { home, clock = MACHINE_CLOCK, redact } = options;
  const projection = { maxToolResultSize: options.maxToolResultSize ?? DEFAULT_RESULT_SIZE };
  const { database, users } = openShared(home);
  const blobs = new Blobs(home);
  const commits = new GroupCommit(database);
  // With a simulated clock, changes are found by polling alone: notifications of the kernel would come in real time.
  const watch = clock === MACHINE_CLOCK ? (notify: () => void) => watchWrites(toDatabaseFile(home), notify) : undefined;
  const notifier = new ChangeNotifier(database, clock, watch);
  const leases = createLeases({ home, database, commits });
  const outbox = createOutbox({ home, database, commits });
  const live = new Set<(live: Live) => void>();
  const heads = new WeakMap<Lease, Head>();

  const close = () => {
    try {
      commits.flush();
      leases.releaseAll();
    } finally {
      notifier.close();
      live.clear();
      database.close();
      users.release();
    }
  };

  return {
    async append(session, drafts, { lease, consume = [] }) {
      if (lease.session !== session)
        throw new KlausError('internal', `The lease belongs to another session than ${session}.`);
      if (!leases.holds(lease)) throw new KlausError('store.busy', `The lease of session ${session} was released.`);
      return commits.run(
        () => {
          const options = { session, fence: lease.fence, drafts, projection, known: heads.get(lease) };
          const { events, head } = appendRecords(database, options);
          heads.set(lease, head);
          recordInHostChain(database, { session, events, redact });
          outbox.take(events, clock.now());
          if (consume.length > 0) consumeCommands(database, { session, ids: consume, seq: head.seq });
          return events;
        },
        (events) => void (events.length > 0 && notifier.published(session, events)),
      );
    },
    appendHost: (body) =>
      commits.run(
        () => appendHostRecord(database, { body, at: clock.now(), redact }),
        () => notifier.touched(),
      ),
    read: (session, after = 0) => readBatches(database, session, after),
    async send(session, command) {
      const receivedAt = clock.now();
      await commits.run(
        () => putCommand(database, { session, command, receivedAt }),
        (isNew) => {
          if (isNew) notifier.sent(session);
        },
      );
    },
    inbox: async (session) => readInbox(database, session),
    claim: async (session) => leases.claim(session),
    subscribe: (session, after, listener) => notifier.subscribe(session, after, listener),
    emitLive(event) {
      for (const listener of live) listener(event);
    },
    onLive(listener) {
      live.add(listener);
      return () => live.delete(listener);
    },
    isWatched: () => live.size > 0,
    onSend: (session, wake) => notifier.onSend(session, wake),
    writeBlob: () => blobs.writer(),
    readBlob: async (hash) => blobs.read(hash),
    outbox,
    stateCache: createStateCache(database, commits),
    view: createView(database, { home, notifier }),
    knowledge: (workspace) => createKnowledge(database, { workspace, commits, clock }),
    recall: (session) => createRecall(database, { session, blobs, commits }),
    ...createQueries(database, { home, blobs, commits, notifier, clock, projection, redact }),
    transfer: createTransfer({ database, leases, notifier, clock, projection }),
    close: async () => close(),
    [Symbol.dispose]: close,
  };
}
