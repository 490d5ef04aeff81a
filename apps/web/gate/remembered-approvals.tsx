import { Undo2 } from 'lucide-react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { showToast } from '../state/toasts.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { Button } from '../ui/button.tsx';
import { useQuery } from '../ui/use-query.ts';

/** The approvals that stay valid in a folder. Revoking one means that the call asks again. Nothing without any. */
export function RememberedApprovals({ workspace, version }: { workspace: string; version: string }) {
  const t = useChangesText();
  const loaded = useQuery(`remembered ${workspace} ${version}`, (signal) => client.remembered({ signal }));
  const own = (loaded.value?.remembered ?? []).filter((it) => it.workspace === workspace);
  if (own.length === 0) return null;
  const revoke = async (id: string) => {
    const revoked = await attempt(async () => {
      await client.forgetRemembered({ params: { id } });
      return true;
    });
    if (revoked) showToast({ kind: 'info', text: t.gate.revoked, lastsMs: 4_000 });
    loaded.refetch();
  };
  return (
    <section className="remembered ruled" aria-label={t.gate.remembered}>
      <h2>{t.gate.remembered}</h2>
      <ul>
        {own.map(({ approval, remembered: { tool, command, paths } }) => (
          <li key={approval} className="line">
            <span className="mono">{tool}</span>
            <code className="grow ellipsis">{command ?? paths?.join(', ')}</code>
            <Button needs="operator" icon={Undo2} variant="quiet" onClick={() => void revoke(approval)}>
              {t.gate.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
