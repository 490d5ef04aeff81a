import { ObjectBlobs, openS3, type S3Options } from '@klaus/adapters/objects';
import {
  createPostgresStore,
  createPostgresWorkerStore,
  type PostgresStore,
  type PostgresStoreOptions,
  type PostgresWorkerStore,
} from '@klaus/adapters/postgres-store';
import { splitState, type SessionStore } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import { createKlausOver, type KlausOver, type StoreInput } from '../create-klaus.ts';
import type { KlausOptions } from '../klaus-options.ts';
import { keepAlive } from './keep-alive.ts';
import { archiveSnapshots, type ArchivedSnapshots } from './archived-snapshots.ts';
import { createClusterTenants, type ClusterTenants } from './tenants.ts';

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
  readonly tenants: ClusterTenants;
  /** Reads the states that a session names and that another worker made. Call it before the session is advanced. */
  prepare(session: string): Promise<void>;
}

/** Klaus over the same store with a view, for a server. */
export type ClusterServerKlaus = KlausOver<PostgresStore> & { readonly tenants: ClusterTenants };

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
export async function createClusterKlaus(options: ClusterOptions): Promise<ClusterKlaus> {
  const archives = new Map<string, ArchivedSnapshots>();
  const klaus = await openKlaus(options, { createStore: createPostgresWorkerStore, archives });
  // Not a copy, in which getters would be values.
  return Object.assign(klaus, { prepare: (session: string) => prepare(klaus, { session, archives }) });
}

/**
 * The same for a server: its store has a view, which is updated with each commit of any process of the cluster.
 *
 * @throws KlausError As {@link createClusterKlaus}.
 */
export function createClusterServer(options: ClusterOptions): Promise<ClusterServerKlaus> {
  return openKlaus(options, { createStore: createPostgresStore, archives: new Map() });
}

interface Parts<S> {
  createStore: (options: PostgresStoreOptions) => Promise<S>;
  /** Receives the snapshots of each workspace that is opened, by its path. */
  archives: Map<string, ArchivedSnapshots>;
}

async function openKlaus<S extends SessionStore & Pick<PostgresWorkerStore, 'tenants'>>(
  given: ClusterOptions,
  { createStore, archives }: Parts<S>,
): Promise<KlausOver<S> & { readonly tenants: ClusterTenants }> {
  const { database, bucket, onAppend, explain = (_, error) => error, ...options } = given;
  const objects = await openS3(bucket).catch((error: unknown) => {
    throw explain('bucket', error);
  });
  let tenants: ClusterTenants | undefined;
  const openStore = async ({ home, configuration, redact }: StoreInput): Promise<S> => {
    const maxToolResultSize = configuration.get('maxToolResultSize');
    const blobs = new ObjectBlobs(objects);
    const store = await createStore({ url: database, home, blobs, maxToolResultSize, redact }).catch(
      (error: unknown) => {
        throw explain('database', error);
      },
    );
    tenants = createClusterTenants({
      store,
      home,
      defaults: {
        slots: configuration.get('cluster.projectSlots'),
        monthlyUsd: configuration.get('cluster.projectMonthlyUsd'),
      },
    });
    const close = async (): Promise<void> => {
      using _ = keepAlive();
      try {
        await store.close();
      } finally {
        objects.close();
      }
    };
    if (!onAppend) return { ...store, close };
    const append: SessionStore['append'] = async (...appended) => {
      const events = await store.append(...appended);
      onAppend(events);
      return events;
    };
    return { ...store, append, close };
  };
  try {
    const klaus = await createKlausOver(options, openStore, {
      wrapSnapshots(local, root) {
        const archived = archiveSnapshots(local, { objects, root });
        archives.set(root, archived);
        return archived;
      },
      admit: (session, reserved) => tenants!.admit(session, reserved),
    });
    return Object.assign(klaus, { tenants: tenants! });
  } catch (error) {
    objects.close();
    throw error;
  }
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
