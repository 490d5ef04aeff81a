import { headOf } from '@klaus/core/cut-text';
import { isCharged, type Event, type EventOf } from '@klaus/core/protocol';
import type { ProjectionOptions } from '../../shared/projection-options.ts';
import { toCallEnd, toCallRows, toMessageRow, toResultRow, toUsageRow } from '../../shared/projected-rows.ts';
import type { Database } from '../database.ts';
import { isInherited } from '../log/inherited.ts';
import { insertRow } from './insert-row.ts';

/** Updates `messages`, `tool_calls` and `token_usage`. */
export function projectConversation(database: Database, event: Event, options: ProjectionOptions): void {
  if (event.type === 'message.added') {
    insertRow(database, 'messages', toMessageRow(event));
    for (const row of toCallRows(event)) insertRow(database, 'tool_calls', row);
  } else if (event.type === 'tool.finished') finishCall(database, event, options);
  else if (event.type === 'model.attempted' && isCharged(event) && !isInherited(database, event))
    insertRow(database, 'token_usage', toUsageRow(event));
}

function finishCall(database: Database, event: EventOf<'tool.finished'>, options: ProjectionOptions): void {
  const output = headOf(event.output, options.maxToolResultSize);
  insertRow(database, 'messages', toResultRow(event, output));
  // Providers assign the ids. If one occurs twice in a session, the newest call is meant.
  database.run(
    `UPDATE tool_calls SET output = ?, success = ?, duration_ms = ?, outcome = ?
      WHERE id = (SELECT max(id) FROM tool_calls WHERE session_id = ? AND tool_call_id = ?)`,
    ...toCallEnd(event, output),
    event.session,
    event.call,
  );
}
