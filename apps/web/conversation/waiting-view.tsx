import type { Conversation } from '@klaus/core/conversation';
import type { QueuedMessage } from '@klaus/server/contract';
import { CornerDownRight, LoaderCircle, PencilLine, X } from 'lucide-react';
import { useMemo } from 'react';
import { formatDuration } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { useNow } from '../ui/use-now.ts';
import { editQueued, withdrawMessage } from '../actions/session-actions.ts';
import { IconButton } from '../ui/button.tsx';

export function WorkingView({ conversation }: { conversation: Conversation }) {
  const t = useText();
  const now = useNow();
  const { requested, retryAt } = conversation;
  if (!requested) return null;
  const words = {
    turn: t.conversation.waitsForModel(requested.model),
    compaction: t.conversation.compacting,
    title: t.conversation.titling,
    review: t.conversation.waitsForModel(requested.model),
    search: t.conversation.waitsForModel(requested.model),
    program: t.conversation.waitsForModel(requested.model),
  }[requested.purpose];
  return (
    <p className="entry working line muted">
      <LoaderCircle size={14} className="spin" />
      {retryAt === undefined ? words : t.conversation.retries}
      <span className="number">{formatDuration(Math.max(0, Math.round((now - requested.at) / 1_000) * 1_000))}</span>
    </p>
  );
}

export function QueuedView({ message, session }: { message: QueuedMessage; session: string }) {
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
      <span className="ellipsis">{text.slice(0, 300)}</span>
      <small className="muted">{message.delivery === 'queue' ? t.conversation.queued : t.conversation.steering}</small>
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
