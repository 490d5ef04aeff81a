import { PencilLine, Trash2 } from 'lucide-react';
import { useContext, useEffect, useId, useRef } from 'react';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CommentContext } from './comment-context.ts';
import type { CommentRow } from './comment-rows.ts';
import { cancelComment, changeComment, removeComment, saveComment } from './comments.ts';
import type { LineComment } from './comment.ts';

/** A comment below its line: its text, or its editor. */
export function CommentView({ row: { comment, isStale } }: { row: CommentRow }) {
  const t = useChangesText();
  const store = useContext(CommentContext);
  if (!store) return null;
  const { id, line, text, draft } = comment;
  return (
    <article className="comment column" aria-label={t.comments.at(line)}>
      {isStale ? <p className="small warn">{t.comments.stale(line)}</p> : null}
      {draft === undefined ? (
        <div className="comment-text line">
          <p className="grow wrap">{text}</p>
          <IconButton
            label={t.comments.edit}
            icon={PencilLine}
            onClick={() => changeComment(store, id, { draft: text })}
          />
          <IconButton label={t.comments.remove} icon={Trash2} onClick={() => removeComment(store, id)} />
        </div>
      ) : (
        <CommentEditor comment={comment} draft={draft} />
      )}
    </article>
  );
}

function CommentEditor({ comment, draft }: { comment: LineComment; draft: string }) {
  const t = useChangesText();
  const words = useText();
  const id = useId();
  const store = useContext(CommentContext)!;
  const field = useRef<HTMLTextAreaElement>(null);
  const isNew = useRef(draft === comment.text);
  useEffect(() => {
    // A draft that was opened before the page was loaded does not take the focus.
    if (isNew.current) field.current?.focus();
  }, []);
  /** The list keeps the focus, so that its keys continue to work. */
  const leave = (run: () => void) => {
    const list = field.current?.closest<HTMLElement>('.rows');
    run();
    list?.focus({ preventScroll: true });
  };
  const save = () => leave(() => saveComment(store, comment));
  const cancel = () => leave(() => cancelComment(store, comment));
  return (
    <>
      <label className="small muted" htmlFor={id}>
        {t.comments.label(comment.line)}
      </label>
      <textarea
        ref={field}
        id={id}
        className="field"
        rows={3}
        maxLength={10_000}
        value={draft}
        onChange={(event) => changeComment(store, comment.id, { draft: event.target.value })}
        onKeyDown={(event) => {
          const isDone = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
          if (event.key !== 'Escape' && !isDone) return;
          // Otherwise the dialog around it would close, or submit.
          event.preventDefault();
          event.stopPropagation();
          if (isDone) save();
          else cancel();
        }}
      />
      <div className="dialog-foot line">
        <Button onClick={cancel}>{words.app.cancel}</Button>
        <Button variant="primary" disabled={draft.trim() === ''} onClick={save}>
          {t.comments.save}
        </Button>
      </div>
    </>
  );
}
