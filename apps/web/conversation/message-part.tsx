import { LoaderCircle } from 'lucide-react';
import { memo } from 'react';
import type { ModelEntry } from '../log/entry.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { formatTime } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Thinking } from './thinking.tsx';

interface MessagePartProps {
  /** Id of the message. */
  id: string;
  /** Markdown of this part. */
  text: string;
  /** The thinking before the text; empty except for the first part. */
  thinking: string;
  /** The complete message, whose actions are shown below its last part; undefined for other parts. */
  message: ModelEntry | undefined;
  /** True while the part is streamed. */
  isGrowing: boolean;
  /** True while the arguments of a tool call are streamed. */
  isCalling: boolean;
  marks: string;
}

/** A message of the model, or a part of it. Streamed and stored parts are the same component, so that nothing flickers. */
export const MessagePart = memo(function AnswerPart(props: MessagePartProps) {
  const { id, text, thinking, message, isGrowing, isCalling, marks } = props;
  const t = useText();
  return (
    <article
      className={`entry entry-model ${marks}`}
      aria-busy={isGrowing || undefined}
      aria-label={t.conversation.klaus}
    >
      {thinking.trim() === '' ? null : <Thinking id={id} text={thinking} isGrowing={isGrowing && text === ''} />}
      {text.trim() === '' ? null : <Markdown text={text} isGrowing={isGrowing} />}
      {isCalling ? (
        <p className="working muted">
          <LoaderCircle size={14} className="spin" />
          {t.conversation.writingCall}
        </p>
      ) : null}
      {message ? (
        <div className="entry-tools">
          <time className="muted" dateTime={new Date(message.at).toISOString()}>
            {formatTime(message.at)}
          </time>
          <CopyButton text={message.text} label={t.conversation.copyMessage} />
        </div>
      ) : null}
    </article>
  );
});
