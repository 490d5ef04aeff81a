import type { AlertView, AttentionItemView, SessionView } from '@klaus/server/contract';
import { useEffect, useMemo } from 'react';
import { attempt } from '../actions/attempt.ts';
import { signal } from '../actions/signal.ts';
import { groupSessions, host, loadOlder, toUnlisted } from '../state/host.ts';
import { projectOf } from '../state/filters.ts';
import { setListed } from '../state/selection.ts';
import { groupBelow } from '../state/session-tree.ts';
import { useStore } from '../state/store.ts';
import { go, toHash, toSession } from '../state/route.ts';
import { formatAgo } from '../text/format.ts';
import { toAlertTitle } from '../text/alert-title.ts';
import { useText } from '../text/text.ts';
import { StateMark } from '../ui/state-mark.tsx';
import { useNow } from '../ui/use-now.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { SessionRow } from './session-row.tsx';

type Row =
  | { key: string; heading: string; count: number }
  | { key: string; session: SessionView; depth: number; below: readonly SessionView[] }
  | { key: string; item: AttentionItemView }
  | { key: string; alert: AlertView }
  | { key: string; older: true };

/** Height of a heading and of a session, in pixels. */
const HEADING = 32;
const SESSION = 52;

interface SessionListProps {
  sessions: ReadonlyMap<string, SessionView>;
  /** Only the sessions of this project. */
  project?: string;
  current: string;
}

export function SessionList({ sessions, project, current }: SessionListProps) {
  const { hasOlder, attention } = useStore(host);
  const t = useText();
  const rows = useMemo(() => {
    const groups = groupSessions({ sessions, attention });
    const inProject = (session: SessionView) => project === undefined || projectOf(session) === project;
    const [waiting, pinned, others] = [groups.waiting, groups.pinned, groups.others].map((group) =>
      group.filter(inProject),
    ) as [SessionView[], SessionView[], SessionView[]];
    const below = groupBelow(sessions);
    // Child sessions are listed only for the session on the page: a team would flood the list.
    const toTree = (session: SessionView): Row[] => {
      const children = below.get(session.id) ?? [];
      const row = { key: session.id, session, depth: 0, below: children.map((each) => each.session) };
      const isOpen = session.id === current || children.some((each) => each.session.id === current);
      if (!isOpen) return [row];
      return [row, ...children.map((each) => ({ key: each.session.id, ...each, below: [] }))];
    };
    const toRows = (heading: string, group: readonly SessionView[]): Row[] =>
      group.length === 0 ? [] : [{ key: heading, heading, count: group.length }, ...group.flatMap(toTree)];
    const unlisted = toUnlisted({ sessions, attention }).filter(
      ({ workspace }) => project === undefined || workspace === project,
    );
    const alerts = project === undefined ? attention.alerts : [];
    const needing = alerts.length + waiting.length + unlisted.length;
    return [
      ...(needing === 0 ? [] : [{ key: 'needing', heading: t.sessions.waiting, count: needing }]),
      ...alerts.map((alert): Row => ({ key: alert.id, alert })),
      ...waiting.flatMap(toTree),
      ...unlisted.map((item): Row => ({ key: item.id, item })),
      ...toRows(t.sessions.pinned, pinned),
      ...toRows(t.sessions.others, others),
      ...(hasOlder ? [{ key: 'older', older: true } as const] : []),
    ];
  }, [sessions, attention, project, current, hasOlder, t]);
  useEffect(() => setListed(rows.flatMap((row) => ('session' in row ? row.session.id : []))), [rows]);
  if (rows.length === 0) {
    return (
      <Empty title={t.sessions.none} hint={t.sessions.noneHint}>
        <Button needs="operator" onClick={openNew}>
          {t.app.newSession}
        </Button>
      </Empty>
    );
  }
  return (
    <VirtualList
      label={t.app.sessions}
      className="session-list"
      as="ul"
      isFixed
      count={rows.length}
      estimateSize={(at) => ('heading' in rows[at]! ? HEADING : SESSION)}
      getItemKey={(at) => rows[at]!.key}
      overscan={6}
    >
      {(at) => {
        const row = rows[at]!;
        if ('session' in row) {
          const { session, depth, below } = row;
          return <SessionRow session={session} isCurrent={session.id === current} depth={depth} below={below} />;
        }
        if ('alert' in row) return <AlertRow alert={row.alert} />;
        if ('item' in row) return <UnlistedRow item={row.item} isCurrent={row.item.session === current} />;
        if ('heading' in row) {
          return (
            <h2 className="session-heading line muted">
              {row.heading} <span className="muted number">{row.count}</span>
            </h2>
          );
        }
        return (
          <Button variant="quiet" className="session-older" onClick={() => void attempt(loadOlder)}>
            {t.sessions.older}
          </Button>
        );
      }}
    </VirtualList>
  );
}

/** Opens the form of a new session, and focuses its field. */
function openNew(): void {
  go({ page: 'home' });
  signal('focus-message');
}

/** A session that needs the user and is older than those in the list. */
function UnlistedRow({ item, isCurrent }: { item: AttentionItemView; isCurrent: boolean }) {
  const t = useText();
  const now = useNow();
  const { session, title, line, since, action } = item;
  const state = action === 'answer' ? 'needs-you' : action === 'look' ? 'done' : 'failed';
  return (
    <div className={`session-row bare line ${isCurrent ? 'session-current' : ''}`}>
      <a href={toHash(toSession(session))} className="line grow" aria-current={isCurrent ? 'page' : undefined}>
        <StateMark state={state} />
        <span className="column grow">
          <span className="ellipsis session-name" dir="auto">
            {title ?? t.sessions.untitled}
          </span>
          <span className="session-facts line small muted">
            <span className="ellipsis" dir="auto">
              {line}
            </span>
            <span className="number">{formatAgo(Date.parse(since), now)}</span>
          </span>
        </span>
      </a>
    </div>
  );
}

/** What the guard of Claude Code reports. */
function AlertRow({ alert: { kind, reason, since } }: { alert: AlertView }) {
  const t = useText();
  const now = useNow();
  return (
    <div className="session-row bare line">
      <a href={toHash({ page: 'guard' })} className="line grow">
        <StateMark state="failed" />
        <span className="column grow">
          <span className="ellipsis session-name">{toAlertTitle(kind, t)}</span>
          <span className="session-facts line small muted">
            <span className="ellipsis">{reason}</span>
            <span className="number">{formatAgo(Date.parse(since), now)}</span>
          </span>
        </span>
      </a>
    </div>
  );
}
