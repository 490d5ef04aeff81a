import type { Conversation } from '@klaus/core/conversation';
import { ChevronRight, Map as MapIcon } from 'lucide-react';
import { memo, useId, useMemo } from 'react';
import { Markdown } from '../markdown/markdown.tsx';
import { useRenderText } from '../text/render/render-text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';
import { findAcceptedPlan } from './accepted-plan.ts';
import './plan-panel.css';

interface PlanPanelProps {
  conversation: Conversation;
  /** Its seq: the conversation is changed in place. */
  version: number;
}

/** The plan that the session works by, beside its todo list. Nothing without an accepted plan. */
export const PlanPanel = memo(function PlanPanel({ conversation, version }: PlanPanelProps) {
  const t = useRenderText();
  const id = useId();
  const [isOpen, setOpen] = useSavedState(`plan ${conversation.session}`, false);
  const plan = useMemo(() => findAcceptedPlan(conversation), [conversation, version]);
  if (!plan) return null;
  return (
    <section className="todos in-column" aria-labelledby={`${id}-title`}>
      <button
        type="button"
        className="todos-head bare line"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight size={14} className="fold-mark muted" />
        <MapIcon size={14} className="muted" aria-hidden />
        <span id={`${id}-title`} className="todos-title">
          {t.plan.label}
        </span>
        {plan.isEdited ? <span className="muted">{t.plan.edited}</span> : null}
      </button>
      {isOpen ? (
        <div id={id} className="plan-text" tabIndex={0} role="group" aria-labelledby={`${id}-title`}>
          <span className="plan-copy">
            <CopyButton text={plan.text} />
          </span>
          <Markdown text={plan.text} session={conversation.session} />
        </div>
      ) : null}
    </section>
  );
});
