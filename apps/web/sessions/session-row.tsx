import { headOf } from '@klaus/core/cut-text';
import { BUILT_IN_AGENT, type SessionView } from '@klaus/server/contract';
import { Archive, Pin } from 'lucide-react';
import { memo } from 'react';
import { onRowClick, onRowKey } from '../actions/select-row.ts';
import { selection, toggleSelected } from '../state/selection.ts';
import { useStore } from '../state/store.ts';
import { nameOf } from '../state/host.ts';
import { toHash, toSession } from '../state/route.ts';
import { formatAgo, formatCents, formatTime, formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { StateMark } from '../ui/state-mark.tsx';
import { useNow } from '../ui/use-now.ts';
import { SessionMenu } from './session-menu.tsx';

const NONE: readonly SessionView[] = [];

export const SessionRow = memo(function SessionRow({
  session,
  isCurrent,
  depth = 0,
  below = NONE,
}: {
  session: SessionView;
  isCurrent: boolean;
  /** Levels below the session that the user opened. */
  depth?: number;
  /** Its child sessions, which the row counts. */
  below?: readonly SessionView[];
}) {
  const t = useText();
  const now = useNow();
  const { id, state, questions, askedAt, usd, updatedAt, workspace, pinned, position, agent } = session;
  const { isOn, ids } = useStore(selection);
  const isSelected = isOn && ids.has(id);
  const name = nameOf(session) ?? t.sessions.untitled;
  const folder = workspace.split('/').at(-1);
  // The cost of a session includes that of its agents.
  const cost = below.reduce<number | null>(
    (sum, each) => (sum === null || each.usd === null ? null : sum + each.usd),
    usd,
  );
  const waits = state === 'needs-you' && askedAt !== null ? Date.parse(askedAt) : undefined;
  return (
    <div
      className={`session-row bare line ${isCurrent ? 'session-current' : ''} ${depth > 0 ? 'session-below' : ''} ${isSelected ? 'session-selected' : ''}`}
      style={depth > 1 ? { marginLeft: 12 * Math.min(depth, 4) } : undefined}
    >
      {isOn ? (
        <input
          type="checkbox"
          className="session-box"
          aria-label={t.lists.selectOne(name)}
          checked={isSelected}
          onChange={() => toggleSelected(id)}
        />
      ) : null}
      <a
        href={toHash(toSession(id))}
        className="line grow"
        aria-current={isCurrent ? 'page' : undefined}
        onClick={(event) => onRowClick(event, id)}
        onKeyDown={(event) => onRowKey(event, id)}
      >
        <StateMark state={state} outcome={session.outcome} />
        <span className="column grow">
          <span className="session-head-line line">
            <span className="ellipsis session-name" dir="auto" title={headOf(name, 300)}>
              {name}
            </span>
            {session.archived ? <Archive size={12} className="muted" aria-label={t.lists.archived} /> : null}
            {pinned ? <Pin size={12} className="muted" aria-label={t.sessions.pinned} /> : null}
          </span>
          {/* Every row has the same three columns: what it is about, when, and the cost. */}
          <span className="session-facts line small muted">
            <span
              className={`ellipsis ${waits === undefined ? '' : 'warn'}`}
              title={waits === undefined ? undefined : formatTime(waits)}
            >
              {waits !== undefined
                ? t.sessions.questions(questions)
                : position !== null
                  ? t.sessions.position(position)
                  : depth > 0
                    ? agent
                    : agent === BUILT_IN_AGENT
                      ? folder
                      : `${agent} · ${folder}`}
            </span>
            {below.length > 0 ? <span className="number">{t.children.count(below.length)}</span> : null}
            <span className="number" title={formatTime(waits ?? Date.parse(updatedAt))}>
              {formatAgo(waits ?? Date.parse(updatedAt), now)}
            </span>
            <span className="number session-cost" title={formatUsd(cost)}>
              {formatCents(cost)}
            </span>
          </span>
        </span>
      </a>
      <SessionMenu session={session} />
    </div>
  );
});
