import type { Conversation } from '@klaus/core/conversation';
import { Map as MapIcon } from 'lucide-react';
import { memo, useMemo } from 'react';
import { Markdown } from '../markdown/markdown.tsx';
import { FoldedPanel } from '../sessions/folded-panel.tsx';
import { useRenderText } from '../text/render/render-text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
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
  const plan = useMemo(() => findAcceptedPlan(conversation), [conversation, version]);
  if (!plan) return null;
  return (
    <FoldedPanel
      label={t.plan.label}
      saved={`plan ${conversation.session}`}
      icon={MapIcon}
      facts={plan.isEdited ? <span className="muted">{t.plan.edited}</span> : null}
    >
      <div className="plan-text" tabIndex={0} role="group" aria-label={t.plan.label}>
        <span className="plan-copy">
          <CopyButton text={plan.text} />
        </span>
        <Markdown text={plan.text} session={conversation.session} />
      </div>
    </FoldedPanel>
  );
});
