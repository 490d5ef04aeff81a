import type { SessionStates } from '@klaus/sdk/session-states';
import { untilChange } from '../client/follow-states.ts';
import { out } from '../output/sink.ts';
import { outputFailure } from '../output/streams.ts';
import { type BoardSession, readBoard, toRemark } from './board-lines.ts';

/** Prints the sessions, and a line for each change of one, until the reader or a signal ends it. */
export async function printChanges(
  states: SessionStates,
  { limit, json }: { limit: number; json?: true },
): Promise<void> {
  const shown = new Map<string, string>();
  for (let version: number | undefined; out.stream.writable && outputFailure() === undefined;) {
    for (const session of readBoard(states, limit).sessions) {
      const line = toChange(session);
      if (shown.get(session.id) === line) continue;
      shown.set(session.id, line);
      if (json) out.json(session);
      else out.write(`${line}\n`);
    }
    version = await untilChange(states, { version });
  }
}

function toChange(session: BoardSession): string {
  const { id, state, agent, needsYou } = session;
  // An open approval is a state of its own.
  const isMarked = needsYou && state !== 'needs-you';
  return [id, isMarked ? `${state}, needs you` : state, agent, toRemark(session)].join('  ');
}
