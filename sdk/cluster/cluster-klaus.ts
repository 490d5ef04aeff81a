import { ObjectBlobs, openS3, type GarbageReport, type ObjectStore, type S3Options } from '@klaus/adapters/objects';
import {
  createPostgresStore,
  createPostgresWorkerStore,
  type PostgresStore,
  type PostgresStoreOptions,
  type PostgresWorkerStore,
} from '@klaus/adapters/postgres-store';
import type { SessionStore } from '@klaus/core/agent';
import { KlausError, type Event } from '@klaus/core/protocol';
import { createKlausOver, type KlausOver, type StoreInput } from '../create-klaus.ts';
import type { KlausOptions } from '../klaus-options.ts';
import type { Session } from '../sessions/session-handle.ts';
import { archiveSnapshots } from './archived-snapshots.ts';
import { collectArchive } from './collect-archive.ts';
import { toManagedFolder } from './managed-folder.ts';
import { ManagedWorkspaces, type OpenedWorkspace, type WorkspaceOrigin } from './managed-workspaces.ts';
import { keepAlive } from './keep-alive.ts';
import { prepareSession, type PrepareParts } from './prepare-session.ts';
import { restoreInPlace } from './restore-in-place.ts';
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

/** What Klaus can do in addition when several machines share its sessions. */
export interface ClusterWorkspaces {
  /**
   * Creates a managed workspace, and stores its files in the bucket. Repositories in it lose their hooks, the configuration
   * with which git runs programs, and passwords of remotes.
   *
   * @param given.name Name of its folder: letters, digits, `.`, `_` and `-`. Default: a new one.
   * @returns Its absolute path, which is the same on all machines: open sessions in it.
   * @throws KlausError `config` unless `cluster.workspaces` is `managed`; `usage` for an invalid or used name or origin,
   *   `workspace.missing`, `workspace.refused`, `tool.failed` for a repository that git cannot clone.
   */
  createWorkspace(given: { from: WorkspaceOrigin; name?: string }): Promise<string>;
  /**
   * Deletes packs and states of workspaces that no log needs: of sessions without an event since `undo.keepDays` only the
   * newest state is kept. Objects of the last day are never deleted.
   *
   * @param given.dryRun Only reports what would be deleted. Default true.
   */
  collectArchive(given?: { dryRun?: boolean }): Promise<GarbageReport>;
  /** Asks the bucket for an object. @throws KlausError `store.busy` while it cannot be reached, `config` if it refuses. */
  checkObjects(): Promise<void>;
}

/** Klaus over the store of several machines. Its store has no view, so it lists and follows sessions by queries. */
export interface ClusterKlaus extends KlausOver<PostgresWorkerStore>, ClusterWorkspaces {
  readonly tenants: ClusterTenants;
  /**
   * Reads the states that a session names and that another worker made, and rebuilds a managed workspace. Call it before
   * the session is advanced, and dispose of the result after it.
   *
   * @returns Undefined while another process uses the managed workspace.
   * @throws KlausError `workspace.missing` for a shared folder that is not there, else as `ManagedWorkspaces.use`.
   */
  prepare(session: string): Promise<AsyncDisposable | undefined>;
}

/** Klaus over the same store with a view, for a server. */
export type ClusterServerKlaus = KlausOver<PostgresStore> & ClusterWorkspaces & { readonly tenants: ClusterTenants };

const DAY_MS = 86_400_000;

/**
 * Creates Klaus over Postgres and a bucket, for a worker or for a program that opens sessions and sends commands.
 * Settings and keys are those of the state folder of this machine. The folder of a workspace must be there; its states are
 * shared through the bucket.
 *
 * @throws KlausError `config` for a wrong setting, or when Postgres or the bucket refuses; `store.busy` when one of them
 *   cannot be reached.
 */
export async function createClusterKlaus(options: ClusterOptions): Promise<ClusterKlaus> {
  const { klaus, parts } = await openKlaus(options, createPostgresWorkerStore);
  // Not a copy, in which getters would be values.
  return Object.assign(klaus, { prepare: (session: string) => prepareSession(parts, session) });
}

/**
 * The same for a server: its store has a view, which is updated with each commit of any process of the cluster.
 *
 * @throws KlausError As {@link createClusterKlaus}.
 */
export async function createClusterServer(options: ClusterOptions): Promise<ClusterServerKlaus> {
  return (await openKlaus(options, createPostgresStore)).klaus;
}

interface OpenedKlaus<S extends SessionStore> {
  klaus: KlausOver<S> & ClusterWorkspaces & { readonly tenants: ClusterTenants };
  parts: PrepareParts;
}

async function openKlaus<S extends PostgresWorkerStore & SessionStore>(
  given: ClusterOptions,
  createStore: (options: PostgresStoreOptions) => Promise<S>,
): Promise<OpenedKlaus<S>> {
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
  const opened = new Map<string, OpenedWorkspace>();
  try {
    const klaus = await createKlausOver(options, openStore, {
      wrapSnapshots(local, root) {
        const archived = archiveSnapshots(local, { objects, root });
        opened.set(root, { local, archived });
        return archived;
      },
      admit: (session, reserved) => tenants!.admit(session, reserved),
    });
    return addWorkspaces(Object.assign(klaus, { tenants: tenants! }), { objects, opened });
  } catch (error) {
    objects.close();
    throw error;
  }
}

/** Adds the managed workspaces. */
function addWorkspaces<S extends PostgresWorkerStore & SessionStore>(
  klaus: KlausOver<S> & { readonly tenants: ClusterTenants },
  { objects, opened }: { objects: ObjectStore; opened: Map<string, OpenedWorkspace> },
): OpenedKlaus<S> {
  const { store, configuration } = klaus;
  const open = async (root: string): Promise<OpenedWorkspace> => {
    await klaus.openSnapshots(root);
    return opened.get(root)!;
  };
  const folder = toManagedFolder(configuration);
  const forget = (root: string): Promise<void> => klaus.forgetSnapshots(root);
  const managed = folder && new ManagedWorkspaces({ folder, home: klaus.home, objects, store, open, forget });
  const { open: openSession, handle, session: findSession } = klaus;
  const restoring = (session: Session): Session => restoreInPlace(session, { store, managed });
  const added: ClusterWorkspaces & Pick<KlausOver<S>, 'open' | 'handle' | 'session'> = {
    handle: (id) => restoring(handle(id)),
    session: async (idOrPrefix) => restoring(await findSession(idOrPrefix)),
    async open(given = {}) {
      // Its settings and instructions are read from the folder.
      if (given.workspace !== undefined && managed?.contains(given.workspace)) await managed.provide(given.workspace);
      return restoring(await openSession(given));
    },
    createWorkspace: async (given) => {
      if (managed) return await managed.create(given);
      throw new KlausError('config', 'Workspaces are not managed: `cluster.workspaces` is `shared`.', {
        hint: 'Set `cluster.workspaces` to `managed`, and `cluster.workspacesFolder`, on all machines.',
      });
    },
    async checkObjects() {
      await objects.stat('health');
    },
    collectArchive: ({ dryRun = true } = {}) =>
      collectArchive({ objects, store, dryRun, since: Date.now() - configuration.get('undo.keepDays') * DAY_MS }),
  };
  return { klaus: Object.assign(klaus, added), parts: { store, open, managed } };
}
