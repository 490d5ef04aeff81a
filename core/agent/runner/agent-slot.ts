import type { RunnerSession } from '../ports/runner.ts';
import type { AgentHost } from './agent-host.ts';

/** The agent that another program drives, while its session is held. */
export interface AgentSlot {
  /** Created by the first turn. */
  host?: AgentHost;
  session?: RunnerSession | undefined;
}

/** Ends the process of the agent, if there is one. */
export async function closeAgent(slot: AgentSlot): Promise<void> {
  const { session } = slot;
  slot.session = undefined;
  await session?.close();
}
