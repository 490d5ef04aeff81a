import { toProject } from '../../shared/session-change.ts';
import type { Database, Sql } from '../database.ts';
import { readTenantUsage, type TenantUsage } from './tenant-usage.ts';

/** The limits of one tenant, and its share beside the others. */
export interface TenantRules {
  /** Runs at the same time over all workers. 0: unlimited. */
  slots: number;
  /** US dollars of a calendar month (UTC) over all sessions. 0: unlimited. */
  monthlyUsd: number;
  /** Share of the slots while several tenants wait. Default 1. */
  weight: number;
  /** 1 to 5; sessions of a smaller number run first. Default 3. */
  priority: number;
}

/** Rules as they are stored. Null: that of the settings, or the default. */
export type StoredRules = { [K in keyof TenantRules]: TenantRules[K] | null };

/** A tenant with what it uses at the moment. */
export interface TenantRow extends TenantUsage {
  /** The hash of the path of a project. */
  tenant: string;
  /** Absolute path of the project. */
  root: string;
  rules: StoredRules;
  /** Sessions that run, and sessions that wait for a slot. Only counted while the tenant has a limit. */
  running: number;
  waiting: number;
}

export interface TenantRun {
  session: string;
  tenant: string;
  /** Runs of the tenant at the same time, at least 1. */
  slots: number;
}

/** The limits of tenants, and who uses them. All processes of the database share them. */
export interface Tenants {
  /** The tenant of a session; undefined before `assign`. */
  find(session: string): Promise<string | undefined>;
  /** Makes a session one of a project, unless it belongs to one already, and returns its tenant. */
  assign(session: string, root: string): Promise<string>;
  /** The stored rules; undefined without any. */
  rules(tenant: string): Promise<StoredRules | undefined>;
  /** Replaces the named rules of a tenant. One that does not exist remains missing. */
  setRules(tenant: string, rules: Partial<StoredRules>): Promise<void>;
  /** All tenants, by path. @param month Any time of the calendar month (UTC) of their costs. */
  list(month: Date): Promise<TenantRow[]>;
  /** Takes a slot for a run of this process. False: the session waits for one. Idempotent. */
  begin(run: TenantRun): Promise<boolean>;
  /** Returns the slot of a run of this process. Undefined: it had none. */
  end(session: string): Promise<string | undefined>;
  /**
   * Gives free slots to the sessions that have waited longest, and returns them: they are to be woken. Without a limit none
   * waits any more.
   *
   * @param slots 0: unlimited.
   */
  admit(tenant: string, slots: number): Promise<string[]>;
  /** Sessions that wait for a slot, by tenant. */
  waiting(): Promise<{ tenant: string; sessions: string[] }[]>;
  /** What a tenant spent in a calendar month (UTC), with what its open requests reserved. */
  usage(tenant: string, month: Date): Promise<TenantUsage>;
}

/** First number of the advisory locks that order changes of the slots of one tenant. */
const TENANT_LOCK = 0x6b6c75;

/** @param holder Returns the number of this process. */
export function createTenants(database: Database, holder: () => number): Tenants {
  const locked = <T>(tenant: string, work: (sql: Sql) => Promise<T>): Promise<T> =>
    database.transaction(async (sql) => {
      await sql.all('SELECT pg_advisory_xact_lock($1, hashtext($2))', [TENANT_LOCK, tenant]);
      return work(sql);
    });
  const find = async (session: string): Promise<string | undefined> => {
    const text = 'SELECT tenant FROM tenant_sessions WHERE session_id = $1';
    return (await database.get<{ tenant: string }>(text, [session]))?.tenant;
  };
  return {
    find,
    async assign(session, root) {
      const tenant = toProject(root);
      await database.together([
        ['INSERT INTO tenants (tenant, root) VALUES ($1, $2) ON CONFLICT DO NOTHING', [tenant, root]],
        ['INSERT INTO tenant_sessions (session_id, tenant) VALUES ($1, $2) ON CONFLICT DO NOTHING', [session, tenant]],
      ]);
      return (await find(session))!;
    },
    rules: (tenant) => database.get<StoredRules>(`SELECT ${RULES} FROM tenants WHERE tenant = $1`, [tenant]),
    async setRules(tenant, rules) {
      const names = (Object.keys(COLUMNS) as (keyof TenantRules)[]).filter((name) => rules[name] !== undefined);
      if (names.length === 0) return;
      const changes = names.map((name, at) => `${COLUMNS[name]} = $${at + 2}`).join(', ');
      const values = names.map((name) => rules[name]);
      await database.run(`UPDATE tenants SET ${changes} WHERE tenant = $1`, [tenant, ...values]);
    },
    list: (month) => listTenants(database, month),
    begin: ({ session, tenant, slots }) =>
      locked(tenant, async (sql) => {
        const { used } = (await sql.get<{ used: number }>(
          'SELECT count(*) AS used FROM used_slots WHERE tenant = $1 AND session_id <> $2',
          [tenant, session],
        ))!;
        const isFree = used < slots;
        await sql.run(isFree ? RUN : WAIT, isFree ? [session, tenant, holder()] : [session, tenant]);
        return isFree;
      }),
    async end(session) {
      const text = 'DELETE FROM tenant_runs WHERE session_id = $1 AND holder = $2 RETURNING tenant';
      return (await database.get<{ tenant: string }>(text, [session, holder()]))?.tenant;
    },
    admit: (tenant, slots) =>
      locked(tenant, async (sql) => {
        const [text, values] = slots === 0 ? [FREE, [tenant]] : [ADMIT, [tenant, slots]];
        const rows = await sql.all<{ id: string }>(text, values);
        return rows.map(({ id }) => id);
      }),
    waiting: () =>
      database.all<{ tenant: string; sessions: string[] }>(
        `SELECT tenant, array_agg(session_id ORDER BY since) AS sessions FROM tenant_runs WHERE holder IS NULL
         GROUP BY tenant`,
      ),
    usage: (tenant, month) => readTenantUsage(database, tenant, month),
  };
}

const COLUMNS: Readonly<Record<keyof TenantRules, string>> = {
  slots: 'slots',
  monthlyUsd: 'monthly_usd',
  weight: 'weight',
  priority: 'priority',
};

const RULES = Object.entries(COLUMNS)
  .map(([name, column]) => `${column} AS "${name}"`)
  .join(', ');

const RUN = `INSERT INTO tenant_runs (session_id, tenant, holder) VALUES ($1, $2, $3)
  ON CONFLICT (session_id) DO UPDATE SET tenant = excluded.tenant, holder = excluded.holder, since = excluded.since,
    granted_at = NULL`;

/** A session that waits already keeps its place. */
const WAIT = `INSERT INTO tenant_runs (session_id, tenant) VALUES ($1, $2)
  ON CONFLICT (session_id) DO UPDATE SET tenant = excluded.tenant, holder = NULL, granted_at = NULL,
    since = CASE WHEN tenant_runs.holder IS NULL THEN tenant_runs.since ELSE excluded.since END`;

const ADMIT = `UPDATE tenant_runs SET granted_at = clock_timestamp() WHERE session_id IN (
    SELECT session_id FROM tenant_runs AS waiting
    WHERE tenant = $1 AND holder IS NULL AND NOT EXISTS (
      SELECT 1 FROM used_slots WHERE used_slots.session_id = waiting.session_id)
    ORDER BY since
    LIMIT greatest(0, $2 - (SELECT count(*) FROM used_slots WHERE tenant = $1))
  ) RETURNING session_id AS id`;

/** A run without a limit takes no slot. */
const FREE = 'DELETE FROM tenant_runs WHERE tenant = $1 AND holder IS NULL RETURNING session_id AS id';

async function listTenants(sql: Sql, month: Date): Promise<TenantRow[]> {
  const rows = await sql.all<StoredRules & Pick<TenantRow, 'tenant' | 'root' | 'running' | 'waiting'>>(
    `SELECT tenant, root, ${RULES},
        (SELECT count(*) FROM tenant_runs AS own JOIN used_slots USING (session_id)
          WHERE own.tenant = tenants.tenant AND own.holder IS NOT NULL) AS running,
        (SELECT count(*) FROM tenant_runs AS own WHERE own.tenant = tenants.tenant AND own.holder IS NULL) AS waiting
      FROM tenants ORDER BY root`,
  );
  return Promise.all(
    rows.map(async ({ slots, monthlyUsd, weight, priority, ...row }) => ({
      ...row,
      rules: { slots, monthlyUsd, weight, priority },
      ...(await readTenantUsage(sql, row.tenant, month)),
    })),
  );
}
