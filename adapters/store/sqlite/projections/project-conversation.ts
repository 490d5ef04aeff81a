import { isCharged, toCalled, toText, type Event, type EventOf, type Message } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { isInherited } from '../log/inherited.ts';
import { toIso } from '../iso-time.ts';
import type { ProjectionOptions } from './projection-options.ts';

/** Updates `messages`, `tool_calls` and `token_usage`. */
export function projectConversation(database: Database, event: Event, options: ProjectionOptions): void {
  if (event.type === 'message.added') addMessage(database, event);
  else if (event.type === 'tool.finished') finishCall(database, event, options);
  else if (event.type === 'model.attempted') countUsage(database, event);
}

function addMessage(database: Database, event: EventOf<'message.added'>): void {
  const { message, session } = event;
  const at = toIso(event.at);
  database.run(
    'INSERT INTO messages (session_id, role, content, created_at, origin) VALUES (?, ?, ?, ?, ?)',
    session,
    message.role,
    toContent(message),
    at,
    message.origin,
  );
  for (const part of message.parts) {
    if (part.type !== 'call') continue;
    const { name, input } = toCalled(part);
    database.run(
      'INSERT INTO tool_calls (session_id, tool_name, input, tool_call_id, turn, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      session,
      name,
      JSON.stringify(input ?? null),
      part.id,
      event.turn,
      at,
    );
  }
}

/** The text of a message, with attachments in brackets. Calls are in `tool_calls`. */
export function toContent(message: Message): string {
  const attached = message.parts.flatMap((part) => {
    if (part.type === 'image') return [`[image ${part.mediaType}]`];
    return part.type === 'file' ? [`[file ${part.name}]`] : [];
  });
  return [toText(message), ...attached].filter((text) => text !== '').join('\n');
}

function finishCall(database: Database, event: EventOf<'tool.finished'>, options: ProjectionOptions): void {
  const output = event.output.slice(0, options.maxToolResultSize);
  database.run(
    `INSERT INTO messages (session_id, role, content, tool_name, tool_call_id, created_at, origin)
      VALUES (?, 'tool', ?, ?, ?, ?, 'tools')`,
    event.session,
    output,
    event.name,
    event.call,
    toIso(event.at),
  );
  // Providers assign the ids. If one occurs twice in a session, the newest call is meant.
  database.run(
    `UPDATE tool_calls SET output = ?, success = ?, duration_ms = ?, outcome = ?
      WHERE id = (SELECT max(id) FROM tool_calls WHERE session_id = ? AND tool_call_id = ?)`,
    output,
    Number(event.outcome === 'ok'),
    Math.round(event.durationMs),
    event.outcome,
    event.session,
    event.call,
  );
}

function countUsage(database: Database, event: EventOf<'model.attempted'>): void {
  const { usage, session } = event;
  if (!isCharged(event) || isInherited(database, event)) return;
  database.run(
    `INSERT INTO token_usage (session_id, model, input_tokens, output_tokens, cache_read_tokens,
      cache_write_tokens, cost_usd, purpose, turn, outcome, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    session,
    event.model,
    usage.input + usage.cacheRead + usage.cacheWrite,
    usage.output,
    usage.cacheRead,
    usage.cacheWrite,
    event.usd,
    event.purpose,
    event.turn,
    event.outcome,
    toIso(event.at),
  );
}
