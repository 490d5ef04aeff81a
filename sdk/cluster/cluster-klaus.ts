import { ObjectBlobs, openS3, type ObjectStore, type S3Options } from '@klaus/adapters/objects';
import { createPostgresWorkerStore, type PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { splitState } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import { createKlausOver, type KlausOver, type StoreInput } from '../create-klaus.ts';
import type { KlausOptions } from '../klaus-options.ts';
import { archiveSnapshots, type ArchivedSnapshots } from './archived-snapshots.ts';

export interface ClusterOptions extends KlausOptions {
  /** `postgres://user:password@host:port/database`. */
  database: string;
  /** Where blobs and states of workspaces are stored. */
  bucket: S3Options;
  /** Called with the events that this process appended, after their commit. It must not throw. Default: nothing. */
  onAppend?: ((events: readonly Event[]) => void) | undefined;
  /** Explains an error of a service, such as by the settings that name it. Default: the error itself. */
  explain?: ((service: 'database' | 'bucket', error: unknown) => unknown) | undefined;
}

/** Klaus over the store of several machines. Its store has no view, so it lists and follows sessions by queries. */
export interface ClusterKlaus extends KlausOver<PostgresWorkerStore> {
  /** Reads the states that a session names and that another worker made. Call it before the session is advanced. */
  prepare(session: string): Promise<void>;
}

/** Milliseconds, any number: the timer only keeps the process alive. */
const ALIVE_MS = 1_000;
/** Latest states of a session that a run may need: those of its last turns. */
const NEEDED = 12;

/**
 * Creates Klaus over Postgres and a bucket, for a worker or for a program that opens sessions and sends commands.
 * Settings and keys are those of the state folder of this machine. The folder of a workspace must be there; its states are
 * shared through the bucket.
 *
 * @throws KlausError `config` for a wrong setting, or when Postgres or the bucket refuses; `store.busy` when one of them
 *   cannot be reached.
 */
export async function createClusterKlaus(given: ClusterOptions): Promise<ClusterKlaus> {
  const { database, bucket, onAppend, explain = (_, error) => error, ...options } = given;
  const objects = await openS3(bucket).catch((error: unknown) => {
    throw explain('bucket', error);
  });
  const archives = new Map<string, ArchivedSnapshots>();
  try {
    const klaus = await createKlausOver(
      options,
      (input) =>
        openStore(input, { database, objects, onAppend }).catch((error: unknown) => {
          throw explain('database', error);
        }),
      (local, root) => {
        const archived = archiveSnapshots(local, { objects, root });
        archives.set(root, archived);
        return archived;
      },
    );
    return { ...klaus, prepare: (session) => prepare(klaus, { session, archives }) };
  } catch (error) {
    objects.close();
    throw error;
  }
}

async function openStore(
  { home, configuration, redact }: StoreInput,
  { database, objects, onAppend }: Pick<ClusterOptions, 'database' | 'onAppend'> & { objects: ObjectStore },
): Promise<PostgresWorkerStore> {
  const store = await createPostgresWorkerStore({
    url: database,
    home,
    blobs: new ObjectBlobs(objects),
    maxToolResultSize: configuration.get('maxToolResultSize'),
    redact,
  });
  const close = async (): Promise<void> => {
    // Idle connections to Postgres do not keep the process alive: without this it could end before they are closed.
    const alive = setInterval(() => {}, ALIVE_MS);
    try {
      await store.close();
    } finally {
      clearInterval(alive);
      objects.close();
    }
  };
  if (!onAppend) return { ...store, close };
  const append: PostgresWorkerStore['append'] = async (...given) => {
    const events = await store.append(...given);
    onAppend(events);
    return events;
  };
  return { ...store, append, close };
}

async function prepare(
  { store, openSnapshots }: Pick<KlausOver<PostgresWorkerStore>, 'store' | 'openSnapshots'>,
  { session, archives }: { session: string; archives: ReadonlyMap<string, ArchivedSnapshots> },
): Promise<void> {
  const events = await store.eventsOf(session, ['session.opened', 'workspace.snapshotted']);
  const opened = events.find((event) => event.type === 'session.opened');
  if (!opened) return;
  const roots = [opened.workspace, ...(opened.writable ?? [])];
  const named = events.flatMap((event) =>
    event.type === 'workspace.snapshotted' ? [event.tree, ...(event.gitTree ? [event.gitTree] : [])] : [],
  );
  for (const tree of new Set(named.slice(-NEEDED))) {
    for (const [index, state] of splitState(tree).entries()) {
      const root = roots[index] ?? opened.workspace;
      await openSnapshots(root);
      await archives.get(root)!.fetch(state);
    }
  }
}
