import { Send, Trash2 } from 'lucide-react';
import { toUlid } from '@klaus/core/ulid';
import { useRef, useState } from 'react';
import { trySend } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { useStore, type Store } from '../state/store.ts';
import { showToast } from '../state/toasts.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { Button } from '../ui/button.tsx';
import { toCommentText, toSaved, type LineComment } from './comment.ts';

interface CommentsBarProps {
  session: string;
  comments: Store<readonly LineComment[]>;
}

/** The number of comments, the message that they become, and the button that sends it. Nothing without comments. */
export function CommentsBar({ session, comments }: CommentsBarProps) {
  const t = useChangesText();
  const all = useStore(comments);
  const saved = toSaved(all);
  const [isSending, setSending] = useState(false);
  /** The same message has the same id, so that it has one effect if it is sent twice. */
  const last = useRef<{ text: string; command: string } | undefined>(undefined);
  if (saved.length === 0) return null;
  const text = toCommentText(saved);
  const send = async () => {
    setSending(true);
    if (last.current?.text !== text)
      last.current = { text, command: toUlid(Date.now(), crypto.getRandomValues(new Uint8Array(10))) };
    const { command } = last.current;
    const body = { command, text, delivery: 'steer' as const };
    const result = await trySend(() => client.sendPrompt({ params: { id: session }, body }));
    setSending(false);
    if (result === 'unknown') {
      showToast({ kind: 'error', text: t.comments.unknown, detail: t.comments.unknownHint });
    } else if (result === 'accepted') {
      const sent = new Set(saved.map(({ id }) => id));
      comments.set(comments.get().filter(({ id }) => !sent.has(id)));
      showToast({ kind: 'info', text: t.comments.sent(saved.length), lastsMs: 4_000 });
    }
  };
  return (
    <section className="comments-bar line" aria-label={t.comments.title}>
      <p role="status" className="grow number">
        {t.comments.count(saved.length)}
      </p>
      <Button icon={Trash2} variant="quiet" onClick={() => comments.set([])}>
        {t.comments.removeAll}
      </Button>
      <Button needs="operator" icon={Send} variant="primary" disabled={isSending} onClick={() => void send()}>
        {t.comments.send}
      </Button>
      <details className="small">
        <summary className="muted">{t.comments.preview}</summary>
        <pre className="wrap" tabIndex={0} aria-label={t.comments.preview}>
          {text}
        </pre>
      </details>
    </section>
  );
}
