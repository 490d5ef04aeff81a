import { ANSWER_KEYS } from '@klaus/core/conversation';
import type { KeyboardEvent, ReactNode } from 'react';
import { signal } from '../actions/signal.ts';
import { isCharacter, isTyping } from '../keys/keymap.ts';
import { Keys, toKeysText } from '../keys/keys.tsx';
import { preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';

/** Keys of a question that has the focus, with the button that each of them clicks. */
const ANSWERS: readonly (readonly [key: string, answer: string])[] = [
  [ANSWER_KEYS.approve, 'approved'],
  [ANSWER_KEYS.reject, 'rejected'],
  [ANSWER_KEYS.review, 'review'],
];

interface QuestionCardProps {
  /** False: it is answered already. Default true. */
  isOpen?: boolean;
  className?: string;
  label?: string;
  labelledBy?: string;
  /** Uses a letter that is none of the answers. True: it was used. */
  onLetter?: (key: string, card: HTMLElement) => boolean;
  children: ReactNode;
}

/**
 * A question that can be answered. Letters answer it only while it, or something in it, has the focus: what is typed
 * elsewhere never does.
 */
export function QuestionCard(props: QuestionCardProps) {
  const { isOpen = true, className = '', label, labelledBy, onLetter, children } = props;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      return signal('focus-message');
    }
    if (isTyping(event.target) || event.repeat) return;
    if (!isCharacter(event) || !preferences.get().letterKeys) return;
    const card = event.currentTarget;
    const answer = ANSWERS.find(([key]) => key === event.key)?.[1];
    const button = card.querySelector<HTMLButtonElement>(`[data-answer="${answer}"]`);
    if (answer === undefined && onLetter?.(event.key, card) !== true) return;
    event.preventDefault();
    button?.click();
  };
  return (
    <section
      className={`approval column ${className}`}
      data-question={isOpen ? '' : undefined}
      tabIndex={isOpen ? -1 : undefined}
      aria-label={label}
      aria-labelledby={labelledBy}
      onKeyDown={isOpen ? onKeyDown : undefined}
    >
      {children}
    </section>
  );
}

/** The default shortcut of the command that focuses a question. */
const FOCUS_KEYS = 'alt+a';

/** The letters that answer, while the question has the focus; else how it gets it. */
export function AnswerLetters({ hasReview = false, hasScopes = false }: { hasReview?: boolean; hasScopes?: boolean }) {
  const t = useText();
  const { letterKeys } = useStore(preferences);
  if (!letterKeys) return null;
  return (
    <div className="answer-hints small muted">
      {toKeysText(FOCUS_KEYS) === undefined ? null : (
        <p className="answer-focus">
          <Keys keys={FOCUS_KEYS} /> {t.approval.withLetters}
        </p>
      )}
      <p className="answer-letters">
        <Keys keys={ANSWER_KEYS.approve} isFixed /> {t.approval.approve} · <Keys keys={ANSWER_KEYS.reject} isFixed />{' '}
        {t.approval.reject}
        {hasReview ? (
          <>
            {' '}
            · <Keys keys={ANSWER_KEYS.review} isFixed /> {t.approval.review}
          </>
        ) : null}
        {hasScopes
          ? (['session', 'project'] as const).map((scope) => (
              <span key={scope}>
                {' '}
                · <Keys keys={ANSWER_KEYS[scope]} isFixed /> {t.approval.scopes[scope]}
              </span>
            ))
          : null}
      </p>
    </div>
  );
}
