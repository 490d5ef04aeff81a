import type { AgentDefinition } from '@klaus/sdk';

/**
 * When the agent was last used, in ISO 8601: in a session here, or before its export elsewhere. Null: never.
 *
 * @param uses The latest use by sessions, by agent.
 */
export function toLastUse(
  { name, last_used: elsewhere = null }: Pick<AgentDefinition, 'name' | 'last_used'>,
  uses: ReadonlyMap<string, string>,
): string | null {
  const here = uses.get(name) ?? null;
  if (here === null || elsewhere === null) return here ?? elsewhere;
  return Date.parse(here) > Date.parse(elsewhere) ? here : elsewhere;
}
