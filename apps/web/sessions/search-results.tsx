import type { SearchHit, SessionView } from '@klaus/server/contract';
import { toHash, toSession } from '../state/route.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Failed, Loading } from '../ui/empty.tsx';
import type { Query } from '../ui/use-query.ts';
import { SessionRow } from './session-row.tsx';

/** The results of a search: sessions, and matches in messages. */
export function SearchResults({
  query,
  found,
  onMore,
}: {
  query: string;
  found: Query<{ sessions: SessionView[]; hits: SearchHit[]; hasMore: boolean }>;
  onMore: () => void;
}) {
  const t = useText();
  if (found.error !== undefined) return <Failed title={t.sessions.failed} error={found.error} retry={found.refetch} />;
  if (!found.value) return <Loading rows={5} />;
  const { sessions, hits, hasMore } = found.value;
  if (sessions.length + hits.length === 0) {
    return <Empty title={t.sessions.nothingFound(query)} hint={t.sessions.nothingFoundHint} />;
  }
  return (
    <div className="session-list" tabIndex={0} role="group" aria-label={t.sessions.search} aria-busy={found.isLoading}>
      {sessions.length > 0 ? <h2 className="session-heading">{t.app.sessions}</h2> : null}
      <ul>
        {sessions.map((session) => (
          <li key={session.id}>
            <SessionRow session={session} isCurrent={false} />
          </li>
        ))}
      </ul>
      {hits.length > 0 ? <h2 className="session-heading">{t.sessions.hits}</h2> : null}
      <ul>
        {hits.map((hit) => (
          <li key={`${hit.session} ${hit.seq} ${hit.at}`}>
            <a className="search-hit" href={toHash({ ...toRoute(hit) })}>
              <span className="ellipsis muted">{hit.sessionTitle ?? t.sessions.untitled}</span>
              <span className="search-snippet">
                {hit.snippet.map(({ text, hit: isHit }, at) => (isHit ? <mark key={at}>{text}</mark> : text))}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {hasMore ? (
        <Button variant="quiet" className="session-older" onClick={onMore}>
          {t.sessions.moreHits}
        </Button>
      ) : null}
    </div>
  );
}

function toRoute({ session, seq }: SearchHit): ReturnType<typeof toSession> {
  const route = toSession(session);
  return seq === null || route.page !== 'session' ? route : { ...route, seq };
}
