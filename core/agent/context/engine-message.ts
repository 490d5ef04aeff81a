import type { EventBody } from '../../protocol/index.ts';
import type { Ids } from '../ports/ids.ts';

/** The event that adds a text of the engine to the history. */
export function toEngineMessage(ids: Ids, { run, turn }: { run: string; turn: number }, text: string): EventBody {
  const parts = [{ type: 'text' as const, text }];
  return { type: 'message.added', run, turn, message: { id: ids.ulid(), role: 'user', origin: 'engine', parts } };
}
