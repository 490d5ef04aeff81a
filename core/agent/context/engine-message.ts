import type { EventBody, UntrustedText } from '../../protocol/index.ts';
import type { Ids } from '../ports/ids.ts';

interface Moment {
  run: string;
  turn: number;
}

/** The event that adds a text of the engine, or of a context file, to the history. */
export function toTextMessage(
  { run, turn }: Moment,
  {
    id,
    origin,
    text,
    untrusted,
  }: { id: string; origin: 'engine' | 'context'; text: string; untrusted?: UntrustedText },
): EventBody {
  const message = { id, role: 'user' as const, origin, parts: [{ type: 'text' as const, text }] };
  return { type: 'message.added', run, turn, message, ...(untrusted ? { untrusted } : {}) };
}

/** The same with a new id. */
export function toEngineMessage(ids: Ids, at: Moment, text: string): EventBody {
  return toTextMessage(at, { id: ids.ulid(), origin: 'engine', text });
}
