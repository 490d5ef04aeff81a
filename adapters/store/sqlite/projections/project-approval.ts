import type { Event } from '@klaus/core/protocol';
import { toAnswer, toApprovalRow } from '../../shared/projected-rows.ts';
import type { Database } from '../database.ts';
import { remember } from '../queries/remembered.ts';
import { insertRow } from './insert-row.ts';

/** Updates `approvals` and `remembered`. */
export function projectApproval(database: Database, event: Event): void {
  if (event.type === 'approval.asked') insertRow(database, 'approvals', toApprovalRow(event));
  if (event.type === 'approval.answered') {
    const sql =
      'UPDATE approvals SET answer = ?, answered_by = ?, note = ?, answered_at = ? WHERE id = ? AND session_id = ?';
    database.run(sql, ...toAnswer(event), event.approval, event.session);
  }
  if (event.type === 'approval.answered' || event.type === 'approval.changed') remember(database, event);
}
