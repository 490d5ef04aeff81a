import { isCovered, revoke, toGrantText } from '../../policy/index.ts';
import type { Command, EventBody } from '../../protocol/index.ts';
import { toolsOf, type State } from '../state/state.ts';

type RevokeCommand = Extract<Command, { type: 'revoke' }>;

/** What a revocation changes; nothing when the grant does not hold what is to go. */
export function toGrantChange(state: State, command: RevokeCommand): EventBody[] {
  const tools = toolsOf(state);
  // Who asked has been told what cannot be left out of a grant; here nothing may be left over.
  const grant = revoke(state.grant, command.authorities, { tools, partial: 'whole' });
  if (isCovered(state.grant, grant)) return [];
  const reason = command.reason ?? `Left: ${toGrantText(grant)}.`;
  return [{ type: 'grant.changed', grant, reason, by: command.by }];
}
