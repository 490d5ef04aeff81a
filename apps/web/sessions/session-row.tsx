import type { SessionView } from '@klaus/server/contract';
import { Pin } from 'lucide-react';
import { memo } from 'react';
import { nameOf } from '../state/host.ts';
import { toHash, toSession } from '../state/route.ts';
import { formatAgo, formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { StateMark } from '../ui/state-mark.tsx';
import { useNow } from '../ui/use-now.ts';
import { SessionMenu } from './session-menu.tsx';

/** One session in the list: what it is, how it stands and what it cost. */
export const SessionRow = memo(function SessionRow({
  session,
  isCurrent,
}: {
  session: SessionView;
  isCurrent: boolean;
}) {
  const t = useText();
  const now = useNow();
  const { id, state, questions, usd, updatedAt, workspace, pinned, position } = session;
  const name = nameOf(session) ?? t.sessions.untitled;
  const folder = workspace.split('/').at(-1);
  const standing =
    state === 'needs-you'
      ? t.sessions.questions(questions)
      : position !== null
        ? t.sessions.position(position)
        : undefined;
  return (
    <div className={`session-row ${isCurrent ? 'session-current' : ''}`}>
      <a href={toHash(toSession(id))} aria-current={isCurrent ? 'page' : undefined}>
        <StateMark state={state} />
        <span className="session-words">
          <span className="ellipsis session-name">{name}</span>
          <span className="session-facts">
            {standing === undefined ? null : <span className={state === 'needs-you' ? 'warn' : ''}>{standing}</span>}
            {standing === undefined ? <span className="ellipsis">{folder}</span> : null}
            <span className="number">{formatAgo(Date.parse(updatedAt), now)}</span>
            <span className="number session-cost">{formatUsd(usd)}</span>
          </span>
        </span>
        {pinned ? <Pin size={12} className="muted" aria-label={t.sessions.pinned} /> : null}
      </a>
      <SessionMenu session={session} />
    </div>
  );
});
