import { Brain, ChevronRight, GitFork, LoaderCircle } from 'lucide-react';
import { memo } from 'react';
import type { ModelEntry } from '@klaus/core/conversation';
import { Markdown } from '../markdown/markdown.tsx';
import { overlay } from '../state/overlay.ts';
import { useText } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';

interface MessagePartProps {
  id: string;
  session: string;
  /** The complete text of the message; undefined while it is streamed. */
  source: string | undefined;
  /** Markdown of this part. */
  text: string;
  /** The thinking before the text; empty except for the first part. */
  thinking: string;
  /** The complete message, whose actions are shown below its last part; undefined for other parts. */
  message: ModelEntry | undefined;
  /** True for the last message of a run: earlier ones show no tools. */
  hasTools: boolean;
  isGrowing: boolean;
  /** True while the arguments of a tool call are streamed. */
  isCalling: boolean;
  marks: string;
}

/** A message of the model, or a part of it. Streamed and stored parts are the same component, so that nothing flickers. */
export const MessagePart = memo(function AnswerPart(props: MessagePartProps) {
  const { id, session, source, text, thinking, message, hasTools, isGrowing, isCalling, marks } = props;
  const t = useText();
  return (
    <article
      className={`entry entry-model ${marks}`}
      aria-busy={isGrowing || undefined}
      aria-label={t.conversation.klaus}
    >
      {thinking.trim() === '' ? null : <Thinking id={id} text={thinking} isGrowing={isGrowing && text === ''} />}
      {text.trim() === '' ? null : (
        <Markdown text={text} isGrowing={isGrowing} isCut={message?.isCut === true} session={session} source={source} />
      )}
      {isCalling ? (
        <p className="working line muted">
          <LoaderCircle size={14} className="spin" />
          {t.conversation.writingCall}
        </p>
      ) : null}
      {message && hasTools ? (
        <div className="entry-tools line small">
          <Time at={message.at} />
          <CopyButton text={message.text} label={t.conversation.copyMessage} />
          <IconButton
            needs="operator"
            label={t.conversation.retryModel}
            icon={GitFork}
            onClick={() => overlay.set({ kind: 'retry', session, seq: message.seq })}
          />
        </div>
      ) : null}
    </article>
  );
});

/** The thinking of the model, collapsed. */
function Thinking({ id, text, isGrowing }: { id: string; text: string; isGrowing: boolean }) {
  const t = useText();
  const [isOpen, setOpen] = useSavedState(`thinking ${id}`, false);
  // Not while the text grows, because every piece would count all words again.
  const words = isGrowing ? 0 : text.split(/\s+/).filter(Boolean).length;
  return (
    <div className="thinking">
      <button type="button" className="fold bare line muted" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={14} className="fold-mark" />
        <Brain size={14} />
        {isGrowing ? t.conversation.thinking : t.conversation.thoughts(words)}
      </button>
      {isOpen ? <p className="thinking-text nested wrap muted">{text}</p> : null}
    </div>
  );
}
