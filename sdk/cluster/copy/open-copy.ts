import { hostname } from 'node:os';
import { join } from 'node:path';
import { ObjectBlobs, openS3, type ObjectStore } from '@klaus/adapters/objects';
import { createPostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { isPlaceholder } from '@klaus/adapters/sandboxes';
import { createSqliteStore } from '@klaus/adapters/store';
import { createSnapshots, type LocalSnapshots } from '@klaus/adapters/workspace';
import type { TreeId } from '@klaus/core/protocol';
import { toHome } from '../../config/home.ts';
import { loadConfiguration } from '../../config/load-configuration.ts';
import { isFolder } from '../../open/outside-folders.ts';
import { archiveSnapshots, type ArchivedSnapshots } from '../archived-snapshots.ts';
import { nameSettings, toClusterStores } from '../cluster-services.ts';
import { keepAlive } from '../keep-alive.ts';
import type { CopyEnd } from './copy-parts.ts';

export interface OpenCopyOptions {
  /** Default: `KLAUS_HOME`, else `~/.klaus`. */
  home?: string;
  /** Default: the variables of this process. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** The state folder of this machine and the cluster that its settings name. */
export interface OpenedCopy extends AsyncDisposable {
  readonly home: CopyEnd;
  readonly cluster: CopyEnd;
  /** The id of a session at one end. @throws KlausError `usage` for a prefix of several ids. */
  findSession(end: 'home' | 'cluster', idOrPrefix: string): Promise<string | undefined>;
  /** Copies a state of a workspace from one end to the other. False if the source, or the workspace, is not there. */
  copyState(to: 'home' | 'cluster', root: string, tree: TreeId): Promise<boolean>;
}

/**
 * Opens both ends of a copy. The state folder is created if it does not exist.
 *
 * @throws KlausError `config` for a missing setting, or a service that refuses; `store.busy` for one that cannot be
 *   reached; `store.corrupt`, `store.full`.
 */
export async function openCopy(options: OpenCopyOptions = {}): Promise<OpenedCopy> {
  const env = options.env ?? process.env;
  const cwd = process.cwd();
  const home = toHome(env, cwd, options.home);
  const configuration = await loadConfiguration({ env, home, cwd });
  const { database, bucket } = toClusterStores(configuration);
  const maxToolResultSize = configuration.get('maxToolResultSize');
  await using stack = new AsyncDisposableStack();
  stack.use(keepAlive());
  const explain = (service: 'database' | 'bucket') => (error: unknown) => {
    throw nameSettings(service, error);
  };
  const objects = stack.adopt(await openS3(bucket).catch(explain('bucket')), (opened) => opened.close());
  const given = { url: database, blobs: new ObjectBlobs(objects), maxToolResultSize };
  const cluster = await createPostgresWorkerStore(given).catch(explain('database'));
  stack.defer(() => cluster.close());
  const local = createSqliteStore({ home, maxToolResultSize });
  stack.defer(() => local.close());
  const workspaces = createWorkspaces(home, objects);
  stack.defer(() => workspaces.close());
  const opened = stack.move();
  return {
    home: { place: `${hostname()}:${home}`, transfer: local.transfer, blobs: local },
    cluster: { place: toPlace(database), transfer: cluster.transfer, blobs: cluster },
    findSession: async (end, idOrPrefix) => (await { home: local, cluster }[end].session(idOrPrefix))?.id,
    copyState: (to, root, tree) => workspaces.copy(to, root, tree),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The database without user and password. */
function toPlace(url: string): string {
  const { hostname: host, port, pathname } = new URL(url);
  return `postgres://${host}:${port || 5432}${pathname}`;
}

/** The snapshots of the workspaces that exist on this machine. */
function createWorkspaces(home: string, objects: ObjectStore) {
  const opened = new Map<string, Promise<{ local: LocalSnapshots; archived: ArchivedSnapshots }>>();
  const open = (root: string) => {
    const known = opened.get(root);
    if (known) return known;
    const options = { stateDir: join(home, 'snapshots'), klausHome: home, isPlaceholder };
    const next = createSnapshots(root, options).then((local) => ({
      local,
      archived: archiveSnapshots(local, { objects, root }),
    }));
    opened.set(root, next);
    return next;
  };
  return {
    async copy(to: 'home' | 'cluster', root: string, tree: TreeId): Promise<boolean> {
      if (!isFolder(root)) return false;
      const { local, archived } = await open(root);
      if (to === 'cluster') return archived.archive(tree);
      await archived.fetch(tree);
      return local.has(tree);
    },
    async close(): Promise<void> {
      for (const each of await Promise.allSettled(opened.values()))
        if (each.status === 'fulfilled') each.value.local.close();
    },
  };
}
