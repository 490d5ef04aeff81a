import type { Scope } from '@klaus/core/protocol';
import type { GivenApprovalView } from '@klaus/server/contract';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { showToast } from '../state/toasts.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useQuery } from '../ui/use-query.ts';

export interface Approvals {
  /** The given approvals of the session, by their ids, oldest first. */
  given: readonly GivenApprovalView[];
  /** Those that are valid in every session of the folder. */
  remembered: readonly Pick<GivenApprovalView, 'approval' | 'remembered'>[];
  /** Remembers an approval of the session, or revokes it with `once`. False if the server refused. */
  change: (approval: string, scope: Scope) => Promise<boolean>;
  /** Revokes an approval of any session of the folder. */
  forget: (approval: string) => Promise<boolean>;
}

/** The approvals that can be remembered or revoked. @param version They are loaded again when it changes. */
export function useApprovals(of: { session: string; workspace: string; version: number }): Approvals {
  const t = useChangesText();
  const { session, workspace, version } = of;
  const given = useQuery(`given ${session} ${version}`, (signal) =>
    client.givenApprovals({ params: { id: session } }, { signal }),
  );
  const remembered = useQuery(`remembered ${workspace} ${version}`, (signal) => client.remembered({ signal }));
  const run = async (work: () => Promise<string>): Promise<boolean> => {
    const text = await attempt(work);
    if (text !== undefined) showToast({ kind: 'info', text, lastsMs: 4_000 });
    given.refetch();
    remembered.refetch();
    return text !== undefined;
  };
  return {
    given: given.value?.approvals ?? [],
    remembered: (remembered.value?.remembered ?? []).filter((it) => it.workspace === workspace),
    change: (approval, scope) =>
      run(async () => {
        const { applied } = await client.changeApproval({ params: { id: session, approval }, body: { scope } });
        return applied || scope === 'once' ? t.gate.changed[scope] : t.gate.changeWaits;
      }),
    forget: (approval) =>
      run(async () => {
        await client.forgetRemembered({ params: { id: approval } });
        return t.gate.changed.once;
      }),
  };
}
