import { headOf } from '@klaus/core/cut-text';
import type { DiffLine } from '@klaus/core/conversation';
import { MessageSquarePlus } from 'lucide-react';
import { useContext } from 'react';
import { useChangesText } from '../text/changes/changes-text.ts';
import { CommentContext } from './comment-context.ts';
import { toPlace } from './comment-rows.ts';
import { openComment } from './comments.ts';
import './comments.css';

/** Characters of a line in the name of its button. */
const MAX_NAME = 120;

/** Adds a comment to a line. It is visible while the line is hovered or focused. Nothing where there are no comments. */
export function CommentButton({ path, line }: { path: string; line: DiffLine }) {
  const t = useChangesText();
  const store = useContext(CommentContext);
  const place = toPlace(path, line);
  if (!store || !place) return null;
  return (
    <button
      type="button"
      className="comment-add"
      // The list is one stop of the Tab key; its lines are reached with the arrow keys.
      tabIndex={-1}
      aria-label={t.comments.add(place.line, headOf(place.quote, MAX_NAME))}
      title={t.comments.addHint}
      onClick={() => openComment(store, place)}
    >
      <MessageSquarePlus size={12} aria-hidden />
    </button>
  );
}
