import type { EventBody, Message } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import type { RunnerEntry } from '../ports/runner.ts';
import type { State } from '../state/state.ts';

/**
 * What the agent recorded in its own session and the log does not contain: the program also works without Klaus, and a
 * crash can lose the last reports. Each entry is imported once, by its id.
 */
export function toImported(
  { state, engine }: Pick<Work, 'state' | 'engine'>,
  run: string,
  history: readonly RunnerEntry[],
): EventBody[] {
  const known = new Set(state.messages.flatMap(({ entries = [] }) => entries));
  const unknown = history.filter((entry) => !known.has(entry.id) && isNews(state, entry));
  if (unknown.length === 0) return [];
  const text = `The agent's own record of its session has entries that were not in the log: ${unknown.length} imported.`;
  return [
    { type: 'notice', run, level: 'info', text },
    ...unknown.map(({ id, role, text: said, call }): EventBody => {
      const isUser = role === 'user' && call === undefined;
      const message: Message = {
        ...{ id: engine.ids.ulid(), role: isUser ? 'user' : 'assistant', origin: isUser ? 'user' : 'model' },
        ...{ parts: [{ type: 'text', text: said }], entries: [id] },
      };
      return { type: 'message.added', run, turn: state.turn, message };
    }),
  ];
}

/** A call that the log has is known, and its result too, unless the log says that it is unknown. */
function isNews(state: State, { role, call }: RunnerEntry): boolean {
  if (call === undefined || !state.callIds.has(call)) return true;
  if (role === 'assistant') return false;
  const results = state.messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'result'));
  return results.some((part) => part.call === call && part.text.startsWith('Outcome unknown'));
}
