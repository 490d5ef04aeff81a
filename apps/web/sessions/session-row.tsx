import { BUILT_IN_AGENT, type SessionView } from '@klaus/server/contract';
import { Pin } from 'lucide-react';
import { memo } from 'react';
import { nameOf } from '../state/host.ts';
import { toHash, toSession } from '../state/route.ts';
import { formatAgo, formatTime, formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { StateMark } from '../ui/state-mark.tsx';
import { useNow } from '../ui/use-now.ts';
import { SessionMenu } from './session-menu.tsx';

export const SessionRow = memo(function SessionRow({
  session,
  isCurrent,
}: {
  session: SessionView;
  isCurrent: boolean;
}) {
  const t = useText();
  const now = useNow();
  const { id, state, questions, askedAt, usd, updatedAt, workspace, pinned, position, agent } = session;
  const name = nameOf(session) ?? t.sessions.untitled;
  const folder = workspace.split('/').at(-1);
  const waits = state === 'needs-you' && askedAt !== null ? Date.parse(askedAt) : undefined;
  return (
    <div className={`session-row bare line ${isCurrent ? 'session-current' : ''}`}>
      <a href={toHash(toSession(id))} className="line grow" aria-current={isCurrent ? 'page' : undefined}>
        <StateMark state={state} />
        <span className="column grow">
          <span className="ellipsis session-name" dir="auto" title={name.slice(0, 300)}>
            {name}
          </span>
          <span className="session-facts line small muted">
            {waits === undefined ? null : (
              <span className="warn ellipsis" title={formatTime(waits)}>
                {t.sessions.asked(questions, formatAgo(waits, now))}
              </span>
            )}
            {position === null ? null : <span>{t.sessions.position(position)}</span>}
            {waits !== undefined || position !== null ? null : (
              <span className="ellipsis">{agent === BUILT_IN_AGENT ? folder : `${agent} · ${folder}`}</span>
            )}
            {waits === undefined ? (
              <span className="number" title={formatTime(Date.parse(updatedAt))}>
                {formatAgo(Date.parse(updatedAt), now)}
              </span>
            ) : null}
            <span className="number session-cost">{formatUsd(usd)}</span>
          </span>
        </span>
        {pinned ? <Pin size={12} className="muted" aria-label={t.sessions.pinned} /> : null}
      </a>
      <SessionMenu session={session} />
    </div>
  );
});
