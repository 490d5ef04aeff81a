import { isCovered, revoke, toGrantText } from '../../policy/index.ts';
import type { Command, EventBody } from '../../protocol/index.ts';
import { toolsOf, type State } from '../state/state.ts';

type RevokeCommand = Extract<Command, { type: 'revoke' }>;

/** The new grant after a revocation; nothing if the grant does not contain the revoked authorities. */
export function toGrantChange(state: State, command: RevokeCommand): EventBody[] {
  const tools = toolsOf(state);
  // The sender was informed of authorities that cannot be revoked in part. Here they are revoked completely.
  const grant = revoke(state.grant, command.authorities, { tools, partial: 'all' });
  if (isCovered(state.grant, grant)) return [];
  const reason = command.reason ?? `Left: ${toGrantText(grant)}.`;
  return [{ type: 'grant.changed', grant, reason, by: command.by }];
}
