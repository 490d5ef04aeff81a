import type { ChildView } from '@klaus/core/conversation';
import type { SessionState, SessionView } from '@klaus/server/contract';
import { ChevronRight, SquareArrowOutUpRight } from 'lucide-react';
import { useId } from 'react';
import { host } from '../state/host.ts';
import { toHash, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { StateMark } from '../ui/state-mark.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';
import { ChildConversation } from './child-conversation.tsx';
import { ChildQuestions } from './child-questions.tsx';
import './children.css';

/** An agent below the call that concerns it: its state and its cost, and its conversation when it is expanded. */
export function ChildCard({ child, call }: { child: ChildView; call: string }) {
  const t = useText();
  const id = useId();
  const session = useStore(host).sessions.get(child.id);
  const [isOpen, setOpen] = useSavedState(`child ${child.id} ${call}`, false);
  const state = toState(child, session);
  const { turns, usd } = toUse(child, session);
  const isAsking = state === 'needs-you';
  return (
    <section className={`child child-${state}`} aria-label={t.children.label(child.agent)}>
      <div className="child-head line">
        <button
          type="button"
          className="bare line grow"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight size={14} className="fold-mark muted" />
          <StateMark state={state} outcome={child.outcome ?? null} size={14} />
          <span className="child-name ellipsis">{child.agent}</span>
          <span className="child-state small muted ellipsis">{isAsking ? t.state[state] : toWords(child, t)}</span>
          <span className="child-facts small muted number">
            <span>{t.children.turns(turns)}</span>
            <span>{formatUsd(usd)}</span>
          </span>
        </button>
        <a
          className="child-link inline"
          href={toHash(toSession(child.id))}
          aria-label={t.children.open(child.agent)}
          title={t.children.open(child.agent)}
        >
          <SquareArrowOutUpRight size={14} aria-hidden />
        </a>
      </div>
      {isAsking && !isOpen ? <ChildQuestions id={child.id} /> : null}
      {isOpen ? (
        <div id={id}>
          <ChildConversation id={child.id} agent={child.agent} />
        </div>
      ) : null}
    </section>
  );
}

function toState({ state, outcome }: ChildView, session: SessionView | undefined): SessionState {
  if (session?.state === 'needs-you') return 'needs-you';
  if (state === 'working') return session?.state === 'interrupted' ? 'interrupted' : 'running';
  return outcome === undefined ? 'idle' : outcome === 'done' ? 'done' : 'failed';
}

function toWords({ state, outcome }: ChildView, t: ReturnType<typeof useText>): string {
  const end = outcome === undefined ? undefined : t.facts.outcome[outcome];
  if (state === 'working') return t.children.state.working;
  return state === 'finished' ? (end ?? '') : [end, t.children.state.closed].filter(Boolean).join(', ');
}

/** While it works, its own log is more recent than the events of its parent, but it does not include its agents. */
function toUse(child: ChildView, session: SessionView | undefined): { turns: number; usd: number | null } {
  if (child.state !== 'working' || !session) return child;
  const usd = session.usd === null || child.usd === null ? null : Math.max(session.usd, child.usd);
  return { turns: Math.max(session.turns, child.turns), usd };
}
