import { describeRejected } from '@klaus/core/describe-rejected';
import { hunksOf, isEditable, isHidden, type EventOf, type Hunk } from '@klaus/core/protocol';
import { X } from 'lucide-react';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { ANSWER_KEYS as KEYS, editHunk, judgeHunks, newReview, toAnswer, type Review } from '@klaus/core/conversation';
import { CommentContext } from '../comments/comment-context.ts';
import { LayoutSwitch } from '../diff/layout-switch.tsx';
import { isCharacter, isTyping } from '../keys/keymap.ts';
import { Keys } from '../keys/keys.tsx';
import { closeOverlay } from '../state/overlay.ts';
import { changePreferences, preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { toReasonText } from '../text/run/reason-text.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { answerApproval } from './answer.ts';
import { toQuestionTitle } from './question-title.ts';
import { ReviewRows } from './review-rows.tsx';
import { useReviewRows } from './use-review-rows.ts';
import './review.css';

/** Characters of a note that the server accepts. */
const MAX_NOTE = 20_000;

export function ReviewDialog({ asked }: { asked: EventOf<'approval.asked'> }) {
  const t = useText();
  const { split, letterKeys } = useStore(preferences);
  const hunks = useMemo(() => hunksOf(asked), [asked]);
  const { review, judged, judge, edit } = useReview(hunks);
  const [current, setCurrent] = useState(0);
  const [editing, setEditing] = useState<string | undefined>();
  const [note, setNote] = useState('');
  const [isSending, setSending] = useState(false);
  const hunk = hunks[current];
  const shown = useReviewRows({ approval: asked.approval, hunks, current: hunk, editing, note });
  const { toModel, comments } = shown;
  const isTooLong = toModel.length > MAX_NOTE;
  const canSend = review.undecided.size === 0 && !isSending && !isTooLong;
  const send = async (reply = toAnswer(review, hunks)) => {
    setSending(true);
    const isAnswered = await answerApproval(asked.approval, { ...reply, note: toModel });
    setSending(false);
    if (!isAnswered) return;
    comments.set([]);
    closeOverlay();
  };
  const step = (by: 1 | -1) => setCurrent(Math.max(0, Math.min(hunks.length - 1, current + by)));
  const judgeCurrent = (isAccepted: boolean) => {
    if (!hunk) return;
    judge([hunk.id], isAccepted);
    step(1);
  };
  const judgeRest = (isAccepted: boolean) => judge(toRest(hunks, judged, isAccepted), isAccepted);
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void (canSend && send());
    else if (isTyping(event.target) || !isCharacter(event) || !preferences.get().letterKeys) return;
    else if (event.key === KEYS.next) step(1);
    else if (event.key === KEYS.previous) step(-1);
    else if (event.key === KEYS.approve) judgeCurrent(true);
    else if (event.key === KEYS.reject) judgeCurrent(false);
    else if (event.key === KEYS.acceptRest) judgeRest(true);
    else if (event.key === KEYS.rejectRest) judgeRest(false);
    else if (event.key === KEYS.edit && hunk && isEditable(hunk)) setEditing(hunk.id);
    else if (event.key === KEYS.comment) shown.comment();
    else if (event.key === 's') changePreferences({ split: !split });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  useEffect(() => {
    // On the window, so that shortcuts also work when no element of the dialog has the focus.
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <Dialog title={t.approval.review} onClose={closeOverlay} hasHead={false} className="review">
      <div ref={shown.frame} className="review-body column" data-first tabIndex={-1}>
        <header className="review-head line ruled">
          <div className="review-title grow">
            <h2 className="ellipsis">{toQuestionTitle(asked, t)}</h2>
            <p className="muted ellipsis">{toReasonText(asked.reason, t)}</p>
          </div>
          <LayoutSwitch />
          <IconButton label={t.app.close} icon={X} iconSize={16} onClick={closeOverlay} />
        </header>
        <CommentContext value={comments}>
          <ReviewRows
            rows={shown.rows}
            list={shown.list}
            hunks={hunks}
            review={review}
            judged={judged}
            current={current}
            editing={editing}
            onCurrent={setCurrent}
            onUnfold={shown.unfold}
            onJudge={judge}
            onEdit={(id) => setEditing(id)}
            onEdited={(it, text) => {
              if (text !== undefined) edit(it, text);
              setEditing(undefined);
            }}
          />
        </CommentContext>
        <HiddenHunks hunks={hunks} review={review} onJudge={judge} />
        <ReviewFoot
          hunks={hunks}
          review={review}
          judged={judged}
          note={note}
          toModel={toModel}
          comments={shown.count}
          isTooLong={isTooLong}
          isSending={isSending}
          canSend={canSend}
          hasKeys={letterKeys}
          onNote={setNote}
          onSend={() => void send()}
          onRejectAll={() => void send({ answer: 'rejected' })}
        />
      </div>
    </Dialog>
  );
}

/** The decisions of the user. Hunks without one are accepted if their content is shown. */
function useReview(hunks: readonly Hunk[]) {
  const [{ review, judged }, set] = useState(() => ({ review: newReview(hunks), judged: new Set<string>() }));
  return {
    review,
    /** Ids of the hunks about which the user decided. */
    judged,
    judge: (ids: readonly string[], isAccepted: boolean) =>
      set({ review: judgeHunks(review, ids, isAccepted), judged: new Set([...judged, ...ids]) }),
    edit: (hunk: Hunk, text: string) =>
      set({ review: editHunk(review, hunk, text), judged: new Set([...judged, hunk.id]) }),
  };
}

/** Ids of the hunks about which the user did not decide. What is not shown is accepted only by an answer of its own. */
function toRest(hunks: readonly Hunk[], judged: ReadonlySet<string>, isAccepted: boolean): string[] {
  return hunks.flatMap((hunk) => (!judged.has(hunk.id) && !(isAccepted && isHidden(hunk)) ? [hunk.id] : []));
}

interface HiddenHunksProps {
  hunks: readonly Hunk[];
  review: Review;
  onJudge: (ids: readonly string[], isAccepted: boolean) => void;
}

/** The hunks whose content is not shown, while some of them are undecided. */
function HiddenHunks({ hunks, review, onJudge }: HiddenHunksProps) {
  const t = useText();
  const ids = hunks.filter((hunk) => isHidden(hunk) && review.undecided.has(hunk.id)).map(({ id }) => id);
  if (ids.length === 0) return null;
  return (
    <p className="review-hidden line warn" role="status">
      <span className="grow">{t.approval.hidden(ids.length)}</span>
      <Button onClick={() => onJudge(ids, false)}>{t.approval.rejectHidden}</Button>
      <Button onClick={() => onJudge(ids, true)}>{t.approval.acceptHidden}</Button>
    </p>
  );
}

interface ReviewFootProps {
  hunks: readonly Hunk[];
  review: Review;
  judged: ReadonlySet<string>;
  note: string;
  /** The note with the comments. */
  toModel: string;
  /** Number of saved comments. */
  comments: number;
  isTooLong: boolean;
  isSending: boolean;
  canSend: boolean;
  hasKeys: boolean;
  onNote: (note: string) => void;
  onSend: () => void;
  onRejectAll: () => void;
}

function ReviewFoot(props: ReviewFootProps) {
  const {
    hunks,
    review,
    judged,
    note,
    toModel,
    comments,
    isTooLong,
    isSending,
    canSend,
    hasKeys,
    onNote,
    onSend,
    onRejectAll,
  } = props;
  const t = useText();
  const words = useChangesText();
  const { answer, hunks: answered } = toAnswer(review, hunks);
  const feedback = answered ? describeRejected(hunks, answered) : '';
  const taken = hunks.length - review.rejected.size - review.undecided.size;
  const open = hunks.filter(({ id }) => !judged.has(id) && !review.undecided.has(id)).length;
  return (
    <footer className="review-foot column">
      <p className="review-keys small muted">
        {hasKeys ? (
          <>
            <Keys keys={KEYS.next} isFixed /> <Keys keys={KEYS.previous} isFixed /> {t.keys.stepHunks} ·{' '}
            <Keys keys={KEYS.approve} isFixed /> {t.approval.accept} · <Keys keys={KEYS.reject} isFixed />{' '}
            {t.approval.reject} · <Keys keys={KEYS.acceptRest} isFixed /> {t.approval.acceptRest} ·{' '}
            <Keys keys={KEYS.rejectRest} isFixed /> {t.approval.rejectRest} · <Keys keys={KEYS.edit} isFixed />{' '}
            {t.approval.edit} · <Keys keys="s" isFixed /> {t.approval.split} · <Keys keys={KEYS.comment} isFixed />{' '}
            {t.keys.comment} ·{' '}
          </>
        ) : null}
        <Keys keys="mod+Enter" isFixed /> {t.composer.send}
      </p>
      <input
        className="field"
        aria-label={t.approval.note}
        placeholder={t.approval.note}
        value={note}
        maxLength={2_000}
        onChange={(event) => onNote(event.target.value)}
      />
      <details className="review-feedback">
        <summary className="muted">{t.approval.feedback}</summary>
        <pre className="wrap" tabIndex={0} aria-label={t.approval.feedback}>
          {answer === 'rejected' ? t.approval.feedbackNone : feedback === '' ? t.approval.feedbackAll : feedback}
          {toModel === '' ? '' : `\n${toModel}`}
        </pre>
      </details>
      <div className="review-send line">
        <p role="status" className="number">
          {t.approval.summary(taken, hunks.length, { edited: review.edited.size, open })}
          {comments > 0 ? ` · ${words.comments.inNote(comments)}` : ''}
          {isTooLong ? <span className="bad"> {words.comments.tooLong}</span> : null}
        </p>
        <Button needs="operator" variant="danger" disabled={isSending || isTooLong} onClick={onRejectAll}>
          {t.approval.rejectAll}
        </Button>
        <Button needs="operator" variant="primary" disabled={!canSend} onClick={onSend}>
          {t.approval.submit}
        </Button>
      </div>
    </footer>
  );
}
