import { applyQueuedCommands, loadState, toWaitingScopes, type Engine, type SessionStore } from '@klaus/core/agent';
import { KlausError, type Remembered, type Scope } from '@klaus/core/protocol';

/** An approval of a call that was given in a session and can be remembered or revoked. */
export interface GivenApproval {
  approval: string;
  /** Id of the call. */
  call: string;
  /** How long it applies, with the changes that wait for the process that holds the session. */
  scope: Scope;
  /** What it covers with a scope beyond `once`. */
  remembered: Remembered;
}

export interface ScopeChange {
  /** Complete id. */
  approval: string;
  scope: Scope;
  /**
   * False when a live process holds the session: the change is durable. A revocation applies to the next judged call,
   * another change before the next turn of the model.
   */
  applied: boolean;
}

interface Parts {
  engine: Engine;
  store: SessionStore;
  session: string;
}

/** See `Session.approvals`. */
export async function approvalsOf({ engine, store, session }: Parts): Promise<GivenApproval[]> {
  // The inbox is read first: a command that is applied in between is in the state.
  const waiting = toWaitingScopes(await store.inbox(session));
  const { approved } = await loadState(engine, session);
  if (approved.size === 0) return [];
  const stored = new Set((await store.remembered()).map(({ approval }) => approval));
  return [...approved].map(([approval, { call, scope, remember }]) => {
    const known = scope === 'project' && !stored.has(approval) ? 'once' : scope;
    return { approval, call, scope: waiting.get(approval) ?? known, remembered: remember };
  });
}

/** See `Session.changeApproval`. */
export async function changeApproval(
  parts: Parts,
  { approval: idOrPrefix, scope, by = 'sdk' }: { approval: string; scope: Scope; by?: string },
): Promise<ScopeChange> {
  const { engine, store, session } = parts;
  const found = (await approvalsOf(parts)).filter(({ approval }) => approval.startsWith(idOrPrefix.toUpperCase()));
  if (idOrPrefix === '' || found.length !== 1) {
    const what = found.length > 1 ? 'Several approvals begin with' : 'There is no approval to change with the id';
    throw new KlausError('usage', `${what} ${idOrPrefix}.`, {
      hint: `\`klaus approvals --given ${session}\` lists those that can be remembered or revoked.`,
    });
  }
  const { approval, scope: before } = found[0]!;
  if (before === scope) return { approval, scope, applied: true };
  // It is valid in every session of the workspace, so that its end does not wait for the process of this one.
  if (before === 'project') await store.forget(approval, by);
  await store.send(session, { type: 'scope', id: engine.ids.ulid(), approval, scope, by });
  return { approval, scope, applied: await applyQueuedCommands(engine, session, ['scope']) };
}
