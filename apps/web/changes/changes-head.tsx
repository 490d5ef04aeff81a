import type { Conversation } from '@klaus/core/conversation';
import { GitCommitHorizontal, ListTree, Redo2, Undo2 } from 'lucide-react';
import { redoTurn } from '../actions/session-actions.ts';
import { LayoutSwitch } from '../diff/layout-switch.tsx';
import { overlay } from '../state/overlay.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import type { ChangedFile } from './changed-file.ts';

interface ChangesHeadProps {
  conversation: Conversation;
  /** Undefined: the entire session. */
  turn: number | undefined;
  files: readonly ChangedFile[];
  /** Number of viewed files. */
  viewed: number;
  isTreeOpen: boolean;
  onTurn: (turn: number | undefined) => void;
  onTree: () => void;
}

/** What is shown, how much of it was viewed, and what can be done with all of it. */
export function ChangesHead(props: ChangesHeadProps) {
  const { conversation, turn, files, viewed, isTreeOpen, onTurn, onTree } = props;
  const t = useText();
  const words = useChangesText();
  const { session, changing, undone, redoable } = conversation;
  const canUndo = [...changing].some((it) => !undone.has(it));
  return (
    <div className="pane-head changes-head line ruled">
      <Button className="changes-files" icon={ListTree} variant="quiet" aria-expanded={isTreeOpen} onClick={onTree}>
        {words.tree}
      </Button>
      <label className="check line">
        <span className="muted">{t.changes.choose}</span>
        <select
          className="field"
          value={turn ?? ''}
          onChange={(event) => onTurn(event.target.value === '' ? undefined : Number(event.target.value))}
        >
          <option value="">{t.changes.all}</option>
          {[...changing].map((it) => (
            <option key={it} value={it}>
              {t.changes.turn(it)}
            </option>
          ))}
        </select>
      </label>
      {files.length > 0 ? (
        <span className="changes-progress line muted small number" role="status">
          <progress value={viewed} max={files.length} aria-label={words.viewedProgress} />
          {words.viewedOf(viewed, files.length)}
        </span>
      ) : null}
      <span className="grow" />
      <LayoutSwitch />
      <IconButton
        needs="operator"
        label={t.changes.undo}
        icon={Undo2}
        disabled={!canUndo}
        onClick={() => overlay.set({ kind: 'undo', session, turn: undefined })}
      />
      <IconButton
        needs="operator"
        label={t.changes.redo}
        icon={Redo2}
        disabled={redoable === 0}
        onClick={() => void redoTurn(session)}
      />
      <Button
        needs="operator"
        icon={GitCommitHorizontal}
        disabled={files.length === 0}
        onClick={() => overlay.set({ kind: 'commit', session })}
      >
        {words.commit.open}
      </Button>
    </div>
  );
}
