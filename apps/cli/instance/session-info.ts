import type { HostState } from './host-state.ts';
import type { SessionInfo } from './protocol.ts';
import { toParent, toStatus } from './session-facts.ts';

/** What the protocol shows of a session. */
export async function toInfo(host: HostState, given: string): Promise<SessionInfo> {
  const { id, facts, isHeld } = await host.read(given);
  const hosted = host.hosted.get(id);
  return {
    sessionId: id,
    agentType: facts.opened?.agent ?? 'klaus',
    status: hosted?.status ?? toStatus(facts, isHeld),
    parentSessionId: toParent(facts),
    logPath: hosted?.logPath ?? null,
  };
}
