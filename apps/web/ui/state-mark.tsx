import type { SessionState } from '@klaus/server/contract';
import {
  Circle,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleQuestionMark,
  LoaderCircle,
} from 'lucide-react';
import { useText } from '../text/text.ts';

const MARKS = {
  'needs-you': { Icon: CircleQuestionMark, look: 'warn' },
  running: { Icon: LoaderCircle, look: 'accent' },
  queued: { Icon: CircleDashed, look: 'muted' },
  interrupted: { Icon: CirclePause, look: 'bad' },
  failed: { Icon: CircleAlert, look: 'bad' },
  done: { Icon: CircleCheck, look: 'good' },
  idle: { Icon: Circle, look: 'muted' },
} satisfies Record<SessionState, unknown>;

export function StateMark({ state, size = 16 }: { state: SessionState; size?: number }) {
  const t = useText();
  const { Icon, look } = MARKS[state];
  return (
    <span
      className={`state-mark inline state-${state} ${look}`}
      role="img"
      aria-label={t.state[state]}
      title={t.state[state]}
    >
      <Icon size={size} className={state === 'running' ? 'spin' : ''} aria-hidden />
    </span>
  );
}
