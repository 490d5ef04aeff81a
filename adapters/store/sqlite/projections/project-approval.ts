import type { Event, EventOf } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { toIso } from '../iso-time.ts';
import { remember } from '../queries/remembered.ts';

/** Updates `approvals`. */
export function projectApproval(database: Database, event: Event): void {
  if (event.type === 'approval.asked') ask(database, event);
  else if (event.type === 'approval.answered') answer(database, event);
  else if (event.type === 'approval.changed') remember(database, event);
}

function ask(database: Database, event: EventOf<'approval.asked'>): void {
  const { subject } = event;
  const call = subject.kind === 'limit' ? undefined : subject;
  const effect = subject.kind === 'call' || subject.kind === 'changes' ? subject : undefined;
  const limit = subject.kind === 'limit' ? subject : undefined;
  database.run(
    `INSERT OR REPLACE INTO approvals (id, session_id, kind, title, reason, tool_name, diff, command, limit_name, offer,
      created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    event.approval,
    event.session,
    subject.kind,
    event.title,
    event.reason,
    call?.name ?? null,
    effect?.diff ?? null,
    effect?.command ?? null,
    limit?.limit ?? null,
    limit?.offer ?? null,
    toIso(event.at),
    Math.trunc(event.expiresAt),
  );
}

function answer(database: Database, event: EventOf<'approval.answered'>): void {
  database.run(
    'UPDATE approvals SET answer = ?, answered_by = ?, note = ?, answered_at = ? WHERE id = ? AND session_id = ?',
    event.answer,
    event.by,
    event.note ?? null,
    toIso(event.at),
    event.approval,
    event.session,
  );
  remember(database, event);
}
