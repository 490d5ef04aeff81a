import { headOf } from '@klaus/core/cut-text';
import type { Conversation } from '@klaus/core/conversation';
import type { QueuedMessage, SessionView } from '@klaus/server/contract';
import { CircleAlert, CircleDashed, CornerDownRight, LoaderCircle, PencilLine, RotateCcw, X } from 'lucide-react';
import { useMemo } from 'react';
import { formatDuration } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { useNow } from '../ui/use-now.ts';
import { editQueued, requeueSession, withdrawMessage } from '../actions/session-actions.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useIsInterrupted } from './use-is-interrupted.ts';
import { CodeText } from '../ui/code-text.tsx';

/** Milliseconds from the start of a run, from which its first snapshot is shown. */
const PREPARING_MS = 1_500;

export function WorkingView({ conversation }: { conversation: Conversation }) {
  const t = useText();
  const isInterrupted = useIsInterrupted(conversation.session);
  const now = useNow(!isInterrupted);
  const { requested, retryAt, run, entries } = conversation;
  if (isInterrupted) return null;
  if (!requested) {
    const isPreparing = run !== undefined && entries.at(-1)?.kind === 'user' && now - run.startedAt >= PREPARING_MS;
    return isPreparing ? <Working words={t.conversation.preparing} ms={now - run.startedAt} /> : null;
  }
  const words = {
    turn: t.conversation.waitsForModel(requested.model),
    compaction: t.conversation.compacting,
    title: t.conversation.titling,
    review: t.conversation.waitsForModel(requested.model),
    search: t.conversation.waitsForModel(requested.model),
    program: t.conversation.waitsForModel(requested.model),
  }[requested.purpose];
  return <Working words={retryAt === undefined ? words : t.conversation.retries} ms={now - requested.at} />;
}

function Working({ words, ms }: { words: string; ms: number }) {
  return (
    <p className="entry working line muted">
      <LoaderCircle size={14} className="spin" />
      {words}
      <span className="number">{formatDuration(Math.max(0, Math.round(ms / 1_000) * 1_000))}</span>
    </p>
  );
}

/** Why a session does not run: its position in the queue, or what prevents its run. */
export function WaitNotice({ session: { id, position, problem } }: { session: SessionView }) {
  const t = useText();
  if (problem !== null) {
    return (
      <p className="session-wait in-column line" role="alert">
        <CircleAlert size={14} className="bad" />
        <span className="bad">
          <CodeText text={problem} />
        </span>
        <Button needs="operator" icon={RotateCcw} onClick={() => void requeueSession(id)}>
          {t.conversation.retry}
        </Button>
      </p>
    );
  }
  if (position === null) return null;
  return (
    <p className="session-wait in-column line muted" role="status">
      <CircleDashed size={14} />
      {t.conversation.inQueue(position)}
    </p>
  );
}

interface QueuedViewProps {
  message: QueuedMessage;
  session: string;
  /** False: the message starts the next run. */
  isRunning: boolean;
}

export function QueuedView({ message, session, isRunning }: QueuedViewProps) {
  const t = useText();
  const text = useMemo(
    () =>
      message.shell === undefined
        ? message.parts
            .map((part) => (part.type === 'text' ? part.text : part.type === 'file' ? part.name : ''))
            .join(' ')
        : `!${message.shell}`,
    [message],
  );
  return (
    <div className="entry entry-queued line muted">
      <CornerDownRight size={14} />
      <span className="ellipsis">{headOf(text, 300)}</span>
      <small className="muted">
        {message.delivery === 'queue' || !isRunning ? t.conversation.queued : t.conversation.steering}
      </small>
      {/* The message field sends no shell commands. */}
      {message.shell === undefined ? (
        <IconButton
          needs="operator"
          label={t.conversation.editQueued}
          icon={PencilLine}
          onClick={() => void editQueued(session, message)}
        />
      ) : null}
      <IconButton
        needs="operator"
        label={t.conversation.removeQueued}
        icon={X}
        onClick={() => void withdrawMessage(session, message.command)}
      />
    </div>
  );
}
