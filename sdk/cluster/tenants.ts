import { findOriginal } from '@klaus/adapters/workspace';
import type { TenantShare } from '@klaus/adapters/scheduler';
import type { StoredRules, TenantRules, Tenants } from '@klaus/adapters/postgres-store';
import type { ModelFailure, SessionStore } from '@klaus/core/agent';
import type { Reserved } from '@klaus/core/protocol';
import { findRoot } from './find-root.ts';

/** Sessions whose tenant is in memory. */
const MOST = 10_000;
/** Milliseconds after which the share of a tenant is read again. */
const SHARE_MS = 5_000;

export interface ClusterTenantsOptions {
  store: Pick<SessionStore, 'session'> & { readonly tenants: Tenants };
  /** Absolute path of the state folder, which knows the project of a working copy. */
  home: string;
  /** The limits of a tenant that has none of its own. 0: unlimited. */
  defaults: Pick<TenantRules, 'slots' | 'monthlyUsd'>;
}

/**
 * The tenants of sessions, which are their projects, with the limits that hold for them over all workers. A session below
 * another one, and one in a working copy, belongs to the project of the other or of the original.
 */
export interface ClusterTenants {
  /** The share of the slots that the tenant of a session gets; undefined for an unknown session. */
  shareOf(session: string): Promise<TenantShare | undefined>;
  /** Takes a slot of the tenant for a run of the session. False: the session waits, and `end` or `repair` returns it. */
  begin(session: string): Promise<boolean>;
  /** Returns the slot of a run, and the sessions that are to be woken because they got one. */
  end(session: string): Promise<string[]>;
  /** Gives free slots to waiting sessions, and returns these: a process with a slot ended, or a wake was lost. */
  repair(): Promise<{ admitted: string[]; waiting: ReadonlySet<string> }>;
  /** Refuses a request that the budget of the tenant does not cover. Its reservation is in the log already. */
  admit(session: string, reserved: Reserved): Promise<ModelFailure | undefined>;
}

export function createClusterTenants({ store, home, defaults }: ClusterTenantsOptions): ClusterTenants {
  const { tenants } = store;
  const known = new Map<string, string>();
  const shares = new Map<string, { share: TenantShare; until: number }>();

  const tenantOf = async (session: string): Promise<string | undefined> => {
    const before = known.get(session);
    if (before !== undefined) return before;
    const tenant = (await tenants.find(session)) ?? (await assign(session));
    if (tenant === undefined) return undefined;
    if (known.size >= MOST) known.clear();
    known.set(session, tenant);
    return tenant;
  };
  const assign = async (session: string): Promise<string | undefined> => {
    const workspace = (await store.session(await findRoot(store, session)))?.workspace;
    if (workspace === undefined) return undefined;
    return tenants.assign(session, findOriginal(home, workspace) ?? workspace);
  };
  const limitsOf = async (tenant: string): Promise<Pick<TenantRules, 'slots' | 'monthlyUsd'>> => {
    const stored = await tenants.rules(tenant);
    return {
      slots: stored?.slots ?? defaults.slots,
      monthlyUsd: stored?.monthlyUsd ?? defaults.monthlyUsd,
    };
  };
  return {
    async shareOf(session) {
      const tenant = await tenantOf(session);
      if (tenant === undefined) return undefined;
      const cached = shares.get(tenant);
      if (cached && Date.now() < cached.until) return cached.share;
      const share = toShare(tenant, await tenants.rules(tenant));
      if (shares.size >= MOST) shares.clear();
      shares.set(tenant, { share, until: Date.now() + SHARE_MS });
      return share;
    },
    async begin(session) {
      const tenant = await tenantOf(session);
      if (tenant === undefined) return true;
      const { slots } = await limitsOf(tenant);
      return slots === 0 || (await tenants.begin({ session, tenant, slots }));
    },
    async end(session) {
      const tenant = await tenants.end(session);
      return tenant === undefined ? [] : tenants.admit(tenant, (await limitsOf(tenant)).slots);
    },
    async repair() {
      const waiting = await tenants.waiting();
      const admitted: string[] = [];
      for (const { tenant } of waiting) admitted.push(...(await tenants.admit(tenant, (await limitsOf(tenant)).slots)));
      return { admitted, waiting: new Set(waiting.flatMap(({ sessions }) => sessions)) };
    },
    async admit(session, reserved) {
      const tenant = await tenantOf(session);
      if (tenant === undefined) return undefined;
      const { monthlyUsd } = await limitsOf(tenant);
      if (monthlyUsd === 0) return undefined;
      const { spentUsd, reservedUsd } = await tenants.usage(tenant, new Date());
      // A request of an unknown price reserves nothing: it is sent while something is left.
      const isCovered =
        reserved.usd === null ? spentUsd + reservedUsd < monthlyUsd : spentUsd + reservedUsd <= monthlyUsd;
      return isCovered ? undefined : { code: 'budget', message: describe({ spentUsd, reservedUsd, monthlyUsd }) };
    },
  };
}

function toShare(tenant: string, rules: StoredRules | undefined): TenantShare {
  return { tenant, weight: rules?.weight ?? 1, priority: rules?.priority ?? 3 };
}

function describe({
  spentUsd,
  reservedUsd,
  monthlyUsd,
}: Record<'spentUsd' | 'reservedUsd' | 'monthlyUsd', number>): string {
  const [spent, reserved, budget] = [spentUsd, reservedUsd, monthlyUsd].map((usd) => usd.toFixed(2));
  return (
    `The monthly budget of the project does not cover the request: ${spent} of ${budget} US dollars are spent, and ` +
    `${reserved} reserved with this request. An administrator can raise it with \`klaus admin projects\`.`
  );
}
