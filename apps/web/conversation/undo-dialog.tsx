import { showRestored } from '../actions/session-actions.ts';
import { client } from '../state/client.ts';
import { useText } from '../text/text.ts';
import { RestoreDialog } from './restore-dialog.tsx';

/** Previews and performs an undo. Without a turn: of the last prompt that changed files. */
export function UndoDialog({ session, turn }: { session: string; turn: number | undefined }) {
  const t = useText();
  const given = turn === undefined ? {} : { turn };
  return (
    <RestoreDialog
      title={turn === undefined ? t.conversation.undoDo : t.conversation.undoTitle(turn)}
      name={`${session} ${turn}`}
      words={{
        confirm: t.conversation.undoDo,
        keep: t.conversation.undoKeep,
        overwrite: t.conversation.undoOverwrite,
      }}
      restore={(choice, signal) =>
        client.undo({ params: { id: session }, body: { ...given, ...choice } }, signal ? { signal } : {})
      }
      onRestored={showRestored}
    />
  );
}
