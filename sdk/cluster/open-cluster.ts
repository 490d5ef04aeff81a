import { join, resolve } from 'node:path';
import { openTemporalScheduler, type TemporalOptions, type TemporalScheduler } from '@klaus/adapters/scheduler';
import { toHome } from '../config/home.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import type { KlausOptions } from '../klaus-options.ts';
import type { SessionStore } from '@klaus/core/agent';
import type { KlausOver } from '../create-klaus.ts';
import {
  createClusterKlaus,
  createClusterServer,
  type ClusterKlaus,
  type ClusterOptions,
  type ClusterServerKlaus,
} from './cluster-klaus.ts';
import { checkClusterPackages } from './cluster-packages.ts';
import { nameSettings, toClusterServices } from './cluster-services.ts';
import type { ClusterTenants } from './tenants.ts';

export interface OpenClusterOptions extends KlausOptions, Pick<ClusterOptions, 'onAppend'> {
  /** Called with each error of a worker's connection to Temporal, which then connects again. Default: ignored. */
  onSchedulerError?: TemporalOptions['onError'];
}

/** The services of a cluster, connected. */
export interface OpenedCluster<K extends KlausOver<SessionStore> = ClusterKlaus> extends AsyncDisposable {
  readonly klaus: K;
  readonly scheduler: TemporalScheduler;
}

/**
 * Connects to the services of a cluster that the settings name. Each error of a service names its settings.
 *
 * @throws KlausError `config` for a missing or wrong setting, a missing package, or a service that refuses; `auth` when
 *   Temporal refuses; `store.busy` when Postgres or the bucket cannot be reached, `scheduler.failed` for Temporal.
 */
export function openCluster(options: OpenClusterOptions = {}): Promise<OpenedCluster> {
  return connect(options, createClusterKlaus);
}

/**
 * The same for a server, which lists and follows sessions.
 *
 * @throws KlausError As {@link openCluster}.
 */
export function openClusterServer(options: OpenClusterOptions = {}): Promise<OpenedCluster<ClusterServerKlaus>> {
  return connect(options, createClusterServer);
}

async function connect<K extends KlausOver<SessionStore> & { readonly tenants: ClusterTenants }>(
  { onSchedulerError, ...options }: OpenClusterOptions,
  create: (options: ClusterOptions) => Promise<K>,
): Promise<OpenedCluster<K>> {
  const env = options.env ?? process.env;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = toHome(env, cwd, options.home);
  const configuration = await loadConfiguration({ env, home, cwd, settings: options.settings });
  const { database, bucket, temporal } = toClusterServices(configuration);
  checkClusterPackages();
  await using undo = new AsyncDisposableStack();
  const klaus = undo.use(await create({ ...options, database, bucket, explain: nameSettings }));
  const scheduler = await openTemporalScheduler({
    ...temporal,
    cacheFolder: join(home, 'cache'),
    shareOf: (session) => klaus.tenants.shareOf(session),
    onError: onSchedulerError,
  }).catch((error: unknown) => {
    throw nameSettings('temporal', error);
  });
  undo.use(scheduler);
  const opened = undo.move();
  return { klaus, scheduler, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
