import type { Command, EventBody, Remembered } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import type { State } from '../state/state.ts';

type ScopeCommand = Extract<Command, { type: 'scope' }>;

/** The event of a changed scope; nothing for an approval that was not given, or whose scope is the same. */
export function changeScope(state: State, { approval, scope, by }: ScopeCommand): EventBody[] {
  const given = state.approved.get(approval);
  // The approval for a project may have been forgotten since, which the log of the session does not say.
  if (!given || (given.scope === scope && scope !== 'project')) return [];
  const remember = scope === 'once' ? {} : { remember: given.remember };
  return [{ type: 'approval.changed', approval, scope, ...remember, by }];
}

/** What the approvals for this session cover. A revocation that is still in the inbox applies already. */
export async function coversOf({ engine, session, state }: Work): Promise<Remembered[]> {
  const all = [...state.approved].filter(([, { scope }]) => scope === 'session');
  if (all.length === 0) return [];
  const waiting = toWaitingScopes(await engine.store.inbox(session));
  return all.flatMap(([approval, { remember }]) => (waiting.get(approval) === 'once' ? [] : [remember]));
}

/** The last scope that the commands of an inbox give each approval. */
export function toWaitingScopes(inbox: readonly Command[]): Map<string, ScopeCommand['scope']> {
  return new Map(inbox.flatMap((command) => (command.type === 'scope' ? [[command.approval, command.scope]] : [])));
}
