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

const ICONS = {
  'needs-you': CircleQuestionMark,
  running: LoaderCircle,
  queued: CircleDashed,
  interrupted: CirclePause,
  failed: CircleAlert,
  done: CircleCheck,
  idle: Circle,
} satisfies Record<SessionState, unknown>;

/** The icon of a session's state, with an accessible name. */
export function StateMark({ state, size = 16 }: { state: SessionState; size?: number }) {
  const t = useText();
  const Icon = ICONS[state];
  return (
    <span className={`state-mark state-${state}`} role="img" aria-label={t.state[state]} title={t.state[state]}>
      <Icon size={size} aria-hidden />
    </span>
  );
}
