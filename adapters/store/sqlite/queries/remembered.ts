import type { RememberedRow } from '@klaus/core/agent';
import type { EventOf } from '@klaus/core/protocol';
import { type StoredRemembered, toRememberedRow } from '../../shared/remembered-row.ts';
import type { Database } from '../database.ts';
import { isInherited } from '../log/inherited.ts';
import { appendHostRecord } from '../log/host-chain.ts';
import { toIso } from '../../shared/iso-time.ts';

/** Stores an approval with the scope `project`, and deletes one that has another scope now. */
export function remember(database: Database, event: EventOf<'approval.answered' | 'approval.changed'>): void {
  if (isInherited(database, event)) return;
  if (event.type === 'approval.changed' && event.scope !== 'project') {
    database.run('DELETE FROM remembered WHERE approval = ? AND session_id = ?', event.approval, event.session);
    return;
  }
  if (event.scope !== 'project' || !event.remember) return;
  const { workspace } =
    database.get<{ workspace: string | null }>(
      'SELECT workspace_dir AS workspace FROM sessions WHERE id = ?',
      event.session,
    ) ?? {};
  if (workspace == null) return;
  database.run(
    'INSERT OR REPLACE INTO remembered (approval, session_id, workspace, agent, record, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    event.approval,
    event.session,
    workspace,
    event.remember.agent,
    JSON.stringify(event.remember),
    toIso(event.at),
  );
}

/** The newest last. */
export function listRemembered(
  database: Database,
  filter: { workspace?: string; agent?: string } = {},
): RememberedRow[] {
  const rows = database.all<StoredRemembered>(
    'SELECT * FROM remembered WHERE workspace = coalesce(?, workspace) AND agent = coalesce(?, agent) ORDER BY created_at, approval',
    filter.workspace ?? null,
    filter.agent ?? null,
  );
  return rows.map(toRememberedRow);
}

/** Deletes an approval by its id or a prefix of it, and records that. False when none matches, or more than one. */
export function forgetRemembered(database: Database, idOrPrefix: string, by: { by: string; at: number }): boolean {
  const rows = database.all<{ approval: string; workspace: string; agent: string }>(
    'SELECT approval, workspace, agent FROM remembered WHERE substr(approval, 1, ?) = ? LIMIT 2',
    idOrPrefix.length,
    idOrPrefix,
  );
  if (idOrPrefix === '' || rows.length !== 1) return false;
  database.run('DELETE FROM remembered WHERE approval = ?', rows[0]!.approval);
  appendHostRecord(database, { body: { type: 'approval.forgotten', ...rows[0]!, by: by.by }, at: by.at });
  return true;
}
