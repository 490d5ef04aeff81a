import { isCovered, revoke, toGrantText, unite, type LineageFact } from '../../policy/index.ts';
import type { Command, EventBody, Grant } from '../../protocol/index.ts';
import { openedOf, toolsOf, type State } from '../state/state.ts';

type RevokeCommand = Extract<Command, { type: 'revoke' }>;

/** The grant of a session with what a user approved for a limited time and has not revoked. */
export function toRevocableGrant(state: State): Grant {
  const { session } = openedOf(state);
  let approved: Extract<LineageFact, { kind: 'escalated' }>[] = [];
  for (const fact of state.lineage) {
    if (fact.kind === 'escalated' && fact.agent === session) approved.push(fact);
    // The grant that remained contains what had been approved until then.
    if (fact.kind === 'revoked' && fact.agent === session) approved = [];
  }
  if (approved.length === 0) return state.grant;
  const grants = approved.map(({ authorities, expiresAt }): Grant => ({ authorities: [...authorities], expiresAt }));
  return unite([state.grant, ...grants]);
}

/** The new grant after a revocation; nothing if the grant does not contain the revoked authorities. */
export function toGrantChange(state: State, command: RevokeCommand): EventBody[] {
  const tools = toolsOf(state);
  // The sender was informed of authorities that cannot be revoked in part. Here they are revoked completely.
  const held = toRevocableGrant(state);
  const grant = revoke(held, command.authorities, { tools, partial: 'all' });
  if (isCovered(held, grant)) return [];
  const reason = command.reason ?? `Left: ${toGrantText(grant)}.`;
  return [{ type: 'grant.changed', grant, reason, by: command.by }];
}
