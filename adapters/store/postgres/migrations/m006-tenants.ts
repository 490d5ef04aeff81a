import { HOLDER_LOCK_CLASS } from '../leases/holder-lock.ts';
import type { Migration } from './migration.ts';

/** Limits of tenants, and the sessions that use or wait for a slot of theirs. */
export const m006: Migration = {
  name: 'm006-tenants',
  apply: `
-- Source of truth, not a projection. A tenant without a row has the limits of the settings.
CREATE TABLE tenants (
  tenant text COLLATE "C" PRIMARY KEY,    -- hash of the path of a project
  root text COLLATE "C" NOT NULL,         -- the path
  slots integer,                          -- runs at the same time; 0: unlimited, null: that of the settings
  monthly_usd double precision,           -- 0: unlimited, null: that of the settings
  weight real,                            -- share of the slots beside other tenants; null: 1
  priority integer                        -- 1 (first) to 5; null: 3
);

-- The tenant of a session never changes, and a session below another one has that of the other.
CREATE TABLE tenant_sessions (
  session_id text COLLATE "C" PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL
);
CREATE INDEX idx_tenant_sessions ON tenant_sessions(tenant);

-- The cost of deleted sessions, which remains that of their tenant.
CREATE TABLE tenant_deleted (
  tenant text COLLATE "C" NOT NULL,
  month text COLLATE "C" NOT NULL,        -- 2026-01
  cost_usd double precision NOT NULL,
  unpriced bigint NOT NULL,
  PRIMARY KEY (tenant, month)
);

-- A session that runs has a holder, a process by the number of its advisory lock. One without waits for a slot.
CREATE TABLE tenant_runs (
  session_id text COLLATE "C" PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL,
  holder integer,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  granted_at timestamptz                  -- of a slot that was given to a waiting session, which is woken for it
) WITH (fillfactor = 50);
CREATE INDEX idx_tenant_runs ON tenant_runs(tenant, since);
CREATE INDEX idx_tenant_runs_waiting ON tenant_runs(tenant) WHERE holder IS NULL;

-- Slots of a process end with it. A slot that a woken session does not take is free again after 10 seconds.
CREATE VIEW used_slots AS
  SELECT session_id, tenant FROM tenant_runs
  WHERE granted_at > clock_timestamp() - interval '10 seconds' OR holder IS NOT NULL AND EXISTS (
    SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND classid = ${HOLDER_LOCK_CLASS} AND objid = tenant_runs.holder::oid);
`,
};
