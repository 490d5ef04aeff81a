import { redoTurn } from '../actions/session-actions.ts';
import { RestoreDialog } from '../conversation/restore-dialog.tsx';
import { client } from '../state/client.ts';
import { showToast } from '../state/toasts.ts';
import { useChangesText } from '../text/changes/changes-text.ts';

/** Previews and performs the revert of one file. The notification offers the redo. */
export function RevertDialog({ session, turn, path }: { session: string; turn: number; path: string }) {
  const t = useChangesText();
  return (
    <RestoreDialog
      title={t.revertTitle(path)}
      name={`${session} ${turn} ${path}`}
      hint={t.revertHint(turn)}
      words={{ confirm: t.revertDo, overwrite: t.revertOverwrite }}
      restore={(choice, signal) =>
        client.restoreFile({ params: { id: session }, body: { path, turn, ...choice } }, signal ? { signal } : {})
      }
      onRestored={() =>
        showToast({
          kind: 'info',
          text: t.reverted(path),
          lastsMs: 8_000,
          action: { label: t.redo, run: () => void redoTurn(session) },
        })
      }
    />
  );
}
