import { LoaderCircle } from 'lucide-react';
import { memo } from 'react';
import type { ModelEntry } from '../log/entry.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { formatTime } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Thinking } from './thinking.tsx';

interface MessagePartProps {
  /** Of the message. */
  id: string;
  /** Markdown of this part. */
  text: string;
  /** What was thought before it; only the first part has it. */
  thinking: string;
  /** Says what may be done with the whole message: for the last part of one that has ended. */
  whole: ModelEntry | undefined;
  /** More of it is to come. */
  isGrowing: boolean;
  /** The arguments of a call are being written. */
  isCalling: boolean;
  marks: string;
}

/** What the model said, or a part of it: the same while it is written and afterwards, so that nothing is drawn twice. */
export const MessagePart = memo(function AnswerPart(props: MessagePartProps) {
  const { id, text, thinking, whole, isGrowing, isCalling, marks } = props;
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
      {whole ? (
        <div className="entry-tools">
          <time className="muted" dateTime={new Date(whole.at).toISOString()}>
            {formatTime(whole.at)}
          </time>
          <CopyButton text={whole.text} label={t.conversation.copyMessage} />
        </div>
      ) : null}
    </article>
  );
});
