import type { EventOf, Mode } from '@klaus/core/protocol';
import { useId, useState } from 'react';
import { Markdown } from '../markdown/markdown.tsx';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';
import { AnswerButtons } from './answer-buttons.tsx';
import { answerApproval } from './answer.ts';
import { Chain } from './chain.tsx';
import { AnswerLetters, QuestionCard } from './question-card.tsx';
import './approval.css';

type Next = Exclude<Mode, 'plan'>;

const MODES: readonly Next[] = ['ask', 'edits', 'auto'];

/**
 * A plan, which can be edited before it is accepted, and the mode in which the session continues. What the user entered is
 * kept while the question is out of view.
 */
export function PlanApproval({ asked, plan }: { asked: EventOf<'approval.asked'>; plan: string }) {
  const t = useText();
  const id = useId();
  const key = `plan ${asked.approval}`;
  const [text, setText] = useSavedState(key, plan);
  const [isEditing, setEditing] = useSavedState(`${key} editing`, false);
  const [mode, setMode] = useSavedState<Next>(`${key} mode`, 'edits');
  const [note, setNote] = useSavedState(`${key} note`, '');
  const [isSending, setSending] = useState(false);
  const reply = async (answer: 'approved' | 'rejected') => {
    setSending(true);
    const accepted = answer === 'approved' ? { mode, ...(text === plan ? {} : { plan: text }) } : {};
    await answerApproval(asked.approval, { answer, note, ...accepted });
    setSending(false);
  };
  return (
    <QuestionCard labelledBy={`${id}-title`}>
      <Chain asked={asked} />
      <p id={`${id}-title`} className="approval-title line">
        {t.approval.plan}
      </p>
      {isEditing ? (
        <textarea
          className="field mono"
          autoFocus
          rows={Math.min(24, text.split('\n').length + 1)}
          aria-label={t.approval.planText}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      ) : (
        <div className="approval-plan" role="region" tabIndex={0} aria-label={t.approval.planText}>
          <Markdown text={text} />
        </div>
      )}
      <label className="approval-note column">
        <span className="muted">{t.approval.note}</span>
        <input className="field" value={note} maxLength={2_000} onChange={(event) => setNote(event.target.value)} />
      </label>
      <div className="approval-foot line">
        <label className="approval-scope line">
          <span className="muted">{t.approval.mode}</span>
          <select className="field" value={mode} onChange={(event) => setMode(event.target.value as Next)}>
            {MODES.map((it) => (
              <option key={it} value={it}>
                {t.composer.modeNames[it]}
              </option>
            ))}
          </select>
        </label>
        <Button needs="operator" onClick={() => setEditing(!isEditing)}>
          {isEditing ? t.approval.planShow : t.approval.edit}
        </Button>
        <AnswerButtons isSending={isSending} onAnswer={(answer) => void reply(answer)} />
      </div>
      <AnswerLetters />
    </QuestionCard>
  );
}
