import type { SessionState } from '@klaus/server/contract';
import {
  Circle,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleQuestionMark,
  CircleSlash,
  CircleStop,
  LoaderCircle,
  TriangleAlert,
} from 'lucide-react';
import type { Text } from '../text/en.ts';
import { useText } from '../text/text.ts';

const MARKS = {
  'needs-you': { Icon: CircleQuestionMark, look: 'warn' },
  running: { Icon: LoaderCircle, look: 'accent' },
  queued: { Icon: CircleDashed, look: 'muted' },
  interrupted: { Icon: CirclePause, look: 'warn' },
  failed: { Icon: CircleAlert, look: 'bad' },
  done: { Icon: CircleCheck, look: 'good' },
  idle: { Icon: Circle, look: 'muted' },
} satisfies Record<SessionState, unknown>;

/** Marks of runs that ended without an error before they were done, by their outcome. */
const ENDS = {
  cancelled: { Icon: CircleStop, look: 'muted' },
  denied: { Icon: CircleSlash, look: 'muted' },
  limit: { Icon: TriangleAlert, look: 'warn' },
} as const;

const isEnd = (outcome: string | null): outcome is keyof typeof ENDS =>
  outcome !== null && Object.hasOwn(ENDS, outcome);

/** The state of a session in words; for a run that ended without an error, its outcome. */
export function toStateName({ state, outcome }: { state: SessionState; outcome: string | null }, t: Text): string {
  return state === 'failed' && isEnd(outcome) ? t.facts.outcome[outcome] : t.state[state];
}

interface StateMarkProps {
  state: SessionState;
  /** Of the last run. A run that a user stopped or rejected did not fail. Default: unknown. */
  outcome?: string | null;
  /** In pixels. Default 16. */
  size?: number;
}

export function StateMark({ state, outcome = null, size = 16 }: StateMarkProps) {
  const t = useText();
  const end = state === 'failed' && isEnd(outcome) ? outcome : undefined;
  const { Icon, look } = end ? ENDS[end] : MARKS[state];
  const label = toStateName({ state, outcome }, t);
  return (
    <span className={`state-mark inline state-${state} ${look}`} role="img" aria-label={label} title={label}>
      <Icon size={size} className={state === 'running' ? 'spin' : ''} aria-hidden />
    </span>
  );
}
