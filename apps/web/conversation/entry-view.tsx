import { memo } from 'react';
import type { CallEntry, Conversation, Entry, FactEntry, ModelEntry, UserEntry } from '@klaus/core/conversation';
import { hasChanges } from '../log/last-run.ts';
import { Paperclip, PencilLine, RotateCcw, Undo2 } from 'lucide-react';
import { LimitPanel } from '../review/limit-panel.tsx';
import { retrySession } from '../actions/session-actions.ts';
import { overlay } from '../state/overlay.ts';
import { LogImage } from '../image/log-image.tsx';
import { useRenderText } from '../text/render/render-text.ts';
import { useText } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { CallCard } from './call-card.tsx';
import { FactLine } from './fact-line.tsx';
import type { EntryRow } from './rows.ts';
import { useSavedState } from '../ui/use-saved-state.ts';

interface EntryViewProps {
  entry: Exclude<Entry, ModelEntry>;
  /** Of the end of a run: the failed request to the model that ended it. */
  attempt: EntryRow['attempt'];
  conversation: Conversation;
  /** Output of a running call. */
  progress: string | undefined;
  /** True for the entry of the event in the address. */
  isMarked: boolean;
}

/** One entry of a conversation, except for messages of the model. */
export function EntryView({ entry, attempt, conversation, progress, isMarked }: EntryViewProps) {
  const { session, undone } = conversation;
  const isUndone = 'turn' in entry && undone.has(entry.turn);
  const marks = toMarks({ isUndone, isMarked });
  switch (entry.kind) {
    case 'user':
      return (
        <UserMessage
          entry={entry}
          session={session}
          isTask={conversation.parent !== undefined}
          canUndo={hasChanges(conversation, entry.turn)}
          marks={marks}
        />
      );
    case 'call':
      return (
        <div className={marks}>
          <CallCard call={entry} session={session} progress={progress} isUndone={isUndone} />
        </div>
      );
    case 'limit':
      return <LimitPanel entry={entry} conversation={conversation} />;
    case 'fact':
      return (
        <div className={marks}>
          <FactLine
            event={entry.event}
            session={session}
            rejected={toRejected(entry, conversation)}
            attempt={attempt}
          />
        </div>
      );
  }
}

/** Name of the tool whose call the user rejected last, for the end of a run that was denied. */
function toRejected({ event }: FactEntry, { entries }: Conversation): string | undefined {
  if (event.type !== 'run.finished' || event.outcome !== 'denied') return undefined;
  const call = entries.findLast(
    (it): it is CallEntry => it.kind === 'call' && it.result?.outcome === 'denied' && it.seq < event.seq,
  );
  return call?.answer?.answer === 'rejected' ? call.name : undefined;
}

/** Class names of undone entries and of the entry in the address. */
export function toMarks({ isUndone, isMarked }: { isUndone: boolean; isMarked: boolean }): string {
  return `${isUndone ? 'entry-undone' : ''} ${isMarked ? 'entry-marked' : ''}`;
}

/** Lines of a prompt that are shown while it is collapsed. */
const MAX_LINES = 24;

interface UserMessageProps {
  entry: UserEntry;
  session: string;
  /** The session above sent it. */
  isTask: boolean;
  canUndo: boolean;
  marks: string;
}

const UserMessage = memo(function UserMessage({ entry, session, isTask, canUndo, marks }: UserMessageProps) {
  const t = useText();
  const r = useRenderText();
  const [isExpanded, setExpanded] = useSavedState(`said ${entry.id}`, false);
  const lines = entry.text.split('\n');
  const shown = isExpanded ? entry.text : lines.slice(0, MAX_LINES).join('\n');
  return (
    <article className={`entry entry-user ${marks}`} aria-label={isTask ? t.children.task : t.conversation.you}>
      <p className="said wrap">{shown}</p>
      {lines.length > MAX_LINES ? (
        <button
          type="button"
          className="fold bare line muted"
          aria-expanded={isExpanded}
          onClick={() => setExpanded(!isExpanded)}
        >
          {isExpanded ? t.conversation.showLess : t.conversation.showMore(lines.length - MAX_LINES)}
        </button>
      ) : null}
      {entry.files.length + entry.images.length > 0 ? (
        <ul className="attached">
          {entry.files.map((file, at) => (
            <li key={at} className="line small">
              <Paperclip size={12} />
              {file.name}
            </li>
          ))}
          {entry.images.map((image, at) => (
            <li key={`image ${at}`} className="line small">
              <LogImage image={image} name={r.image.ofPrompt(at + 1)} />
            </li>
          ))}
        </ul>
      ) : null}
      <div className="entry-tools line small">
        <Time at={entry.at} />
        {entry.steered ? <span className="muted">{t.conversation.steered}</span> : null}
        <CopyButton text={entry.text} label={t.conversation.copyMessage} />
        {entry.steered || isTask ? null : (
          <IconButton
            needs="operator"
            label={t.conversation.edit}
            icon={PencilLine}
            onClick={() => overlay.set({ kind: 'edit', session, message: entry.id, text: entry.text })}
          />
        )}
        {isTask ? null : (
          <IconButton
            needs="operator"
            label={t.conversation.retry}
            icon={RotateCcw}
            onClick={() => void retrySession(session)}
          />
        )}
        {canUndo ? (
          <IconButton
            needs="operator"
            label={t.conversation.undoTurn}
            icon={Undo2}
            onClick={() => overlay.set({ kind: 'undo', session, turn: entry.turn + 1 })}
          />
        ) : null}
      </div>
    </article>
  );
});
