import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createClusterKlaus, createClusterServer, type ClusterKlaus } from '@klaus/sdk/cluster';
import { openTemporalScheduler, type TemporalScheduler } from '@klaus/sdk/scheduler';
import { createClient, type Client } from '@klaus/server/client';
import type { S3Options } from '@klaus/adapters/objects';
import { provideSeaweed, startS3Server } from '../../adapters/objects/fixtures/s3-server.ts';
import {
  provideTemporal,
  startTemporal,
  type TemporalServer,
  WORKFLOW_CACHE,
} from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../adapters/store/fixtures/postgres-server.ts';
import { startServer as serve, type RunningServer } from '../../apps/server/server.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { toOptions, type ClusterOrder } from './cluster-order.ts';

const PROGRAM = join(import.meta.dirname, 'worker-process.ts');
const seaweed = provideSeaweed();
const temporal = provideTemporal();

/** Why no cluster can be started on this machine; undefined if it can. */
export const WITHOUT_CLUSTER =
  seaweed.reason ?? temporal.reason ?? (findPostgres() ? undefined : 'Postgres is not installed');

/** Postgres, Temporal and SeaweedFS on this machine, with processes that use them. */
export interface Cluster extends AsyncDisposable {
  readonly scheduler: TemporalScheduler;
  readonly postgres: PostgresServer;
  /** The settings of the services, as variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** A process without a worker, with a state folder of its own. */
  openNode(): Promise<ClusterKlaus>;
  /** A server without a worker, with a state folder of its own. */
  openServer(): Promise<ServerNode>;
  /**
   * Resolves when the worker takes sessions.
   *
   * @param order What differs from the other processes, such as an address.
   * @param prefix Words before the program. Default: none.
   */
  startWorker(order?: Partial<ClusterOrder>, prefix?: readonly string[]): Promise<ChildProcess>;
  /** What each process gets. */
  readonly shared: Omit<ClusterOrder, 'home'>;
  readonly database: string;
  readonly bucket: S3Options;
  readonly engine: TemporalServer;
}

/** One of the servers of a cluster, in this process. */
export interface ServerNode {
  readonly klaus: Awaited<ReturnType<typeof createClusterServer>>;
  readonly server: RunningServer;
  readonly client: Client;
}

const LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };

/**
 * @param env Of all processes.
 * @param settings The same.
 * @param effects See `ClusterOrder`.
 */
export async function startCluster(
  { workspace }: Pick<TestHome, 'workspace'>,
  {
    env,
    settings = {},
    effects,
  }: { env: Record<string, string>; settings?: Record<string, unknown>; effects?: string },
): Promise<Cluster> {
  const stack = new AsyncDisposableStack();
  const servers = await Promise.all([
    startPostgres(),
    startS3Server(seaweed.program!),
    startTemporal(temporal.program!),
  ]);
  const [postgres, s3, engine] = servers;
  for (const server of servers) stack.use(server);
  const shared = {
    database: await postgres.createDatabase(),
    bucket: await s3.createBucket(),
    engine: engine.address,
    cache: WORKFLOW_CACHE,
    ...{ workspace, env, settings, effects },
  };
  const toOrder = (): ClusterOrder => ({ ...shared, home: stack.use(createTestHome()).home });
  const scheduler = stack.use(await openTemporalScheduler({ address: engine.address, cacheFolder: WORKFLOW_CACHE }));
  const { bucket, endpoint, credentials } = shared.bucket;
  return {
    ...{ scheduler, postgres, engine, database: shared.database, bucket: shared.bucket },
    variables: {
      KLAUS_CLUSTER_POSTGRES_URL: shared.database,
      KLAUS_CLUSTER_BUCKET: bucket,
      KLAUS_CLUSTER_S3_ENDPOINT: endpoint!,
      KLAUS_CLUSTER_S3_KEY_ID: credentials!.accessKeyId,
      KLAUS_CLUSTER_S3_SECRET_KEY: credentials!.secretAccessKey,
      KLAUS_CLUSTER_TEMPORAL_ADDRESS: engine.address,
    },
    async openNode() {
      const klaus = await createClusterKlaus(toOptions(toOrder()));
      stack.defer(() => klaus.close());
      return klaus;
    },
    async openServer() {
      const klaus = await createClusterServer(toOptions(toOrder()));
      stack.defer(() => klaus.close());
      const served = { scheduler, waiting: () => klaus.store.wakes.waiting() };
      const server = await serve({ klaus, cluster: served, port: 0, log: LOG, version: 'test' });
      stack.defer(() => server.close());
      return { klaus, server, client: createClient({ baseUrl: server.url, token: server.token }) };
    },
    shared,
    async startWorker(order, prefix = []) {
      const own = JSON.stringify({ ...toOrder(), ...order });
      const [program, ...words] = [...prefix, process.execPath, PROGRAM, own];
      const child = spawn(program!, words, { stdio: ['ignore', 'pipe', 'inherit'] });
      stack.defer(() => endWorker(child, 'SIGKILL'));
      const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the worker ended with ${code}`)));
      // It ends later too.
      failed.catch(() => {});
      await Promise.race([once(child.stdout, 'data'), failed]);
      return child;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export async function endWorker(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}
