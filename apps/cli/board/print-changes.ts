import type { SessionState, SessionStates } from '@klaus/sdk/session-states';
import { untilChange } from '../client/follow-states.ts';
import { out } from '../output/sink.ts';
import { outputFailure } from '../output/streams.ts';
import { toBoardOrder, toRemark } from './board-lines.ts';

/** Prints the sessions, and a line for each change of one, until the reader or a signal ends it. */
export async function printChanges(
  states: SessionStates,
  { limit, json }: { limit: number; json?: true },
): Promise<void> {
  const shown = new Map<string, string>();
  for (let version: number | undefined; out.stream.writable && outputFailure() === undefined;) {
    for (const session of toBoardOrder(states.list({ limit }))) {
      const line = toChange(session);
      if (shown.get(session.id) === line) continue;
      shown.set(session.id, line);
      if (json) out.json(session);
      else out.write(`${line}\n`);
    }
    version = await untilChange(states, { version });
  }
}

function toChange(session: SessionState): string {
  return [session.id, session.state, session.agent, toRemark(session)].join('  ');
}
