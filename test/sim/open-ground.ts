import { provideTemporal, startTemporal } from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import { findPostgres, openPostgres } from '../../adapters/store/fixtures/postgres-server.ts';
import type { Ground } from './ground.ts';

/** Which lives are simulated. */
export interface GroundKind {
  store: 'sqlite' | 'postgres';
  /** With one: lives of two workers. It needs Postgres. */
  scheduler?: 'embedded' | 'temporal';
}

/** A ground and the services that it uses, for another thread. */
export interface GroundOrder extends GroundKind {
  /** An empty database of Postgres. */
  database?: string;
  /** The address of Temporal. */
  engine?: string;
}

/** The services of all threads. */
export interface Services extends AsyncDisposable {
  /** For one ground. @param kind Needs no other services than those that were started. */
  order(kind: GroundKind): Promise<GroundOrder>;
}

/** Why these services cannot be started on this machine; undefined if they can. */
export function findMissing({ store, scheduler }: GroundKind): string | undefined {
  if (store === 'postgres' && !findPostgres()) return 'Postgres is not installed';
  return scheduler === 'temporal' ? provideTemporal().reason : undefined;
}

export async function startServices(kind: GroundKind): Promise<Services> {
  await using stack = new AsyncDisposableStack();
  const postgres = kind.store === 'postgres' ? stack.use(await openPostgres()) : undefined;
  const temporal =
    kind.scheduler === 'temporal' ? stack.use(await startTemporal(provideTemporal().program!)) : undefined;
  const started = stack.move();
  return {
    order: async (ordered) => ({
      ...ordered,
      ...(postgres && { database: await postgres.createDatabase() }),
      ...(temporal && { engine: temporal.address }),
    }),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** The modules are imported here, so that a mutant is installed before. */
export async function openGround({ store, scheduler, database, engine }: GroundOrder): Promise<Ground> {
  const { SqliteGround } = await import('./stores/sqlite-ground.ts');
  if (store === 'sqlite') return new SqliteGround();
  const { PostgresGround } = await import('./stores/postgres-ground.ts');
  const postgres = await PostgresGround.open(database!);
  if (!scheduler) return postgres;
  const { ClusterGround } = await import('./cluster/cluster-ground.ts');
  const { EmbeddedEngines, TemporalEngines } = await import('./cluster/engines.ts');
  const engines = scheduler === 'temporal' ? await TemporalEngines.open(engine!) : new EmbeddedEngines();
  return new ClusterGround(postgres, engines);
}
