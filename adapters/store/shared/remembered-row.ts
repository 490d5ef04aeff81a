import type { RememberedRow } from '@klaus/core/agent';
import { rememberedSchema } from '@klaus/core/protocol';

/** A row of `remembered` as a statement returns it. */
export type StoredRemembered = Record<
  'approval' | 'session_id' | 'workspace' | 'agent' | 'record' | 'created_at',
  string
>;

export function toRememberedRow(row: StoredRemembered): RememberedRow {
  return {
    approval: row.approval,
    session: row.session_id,
    workspace: row.workspace,
    remembered: rememberedSchema.parse(JSON.parse(row.record)),
    createdAt: row.created_at,
  };
}
