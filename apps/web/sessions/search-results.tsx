import type { SearchHit } from '@klaus/server/contract';
import { useEffect, useState } from 'react';
import { setListed } from '../state/selection.ts';
import { countMenuFilters, filters, toQuery } from '../state/filters.ts';
import { client } from '../state/client.ts';
import { toHash, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { withoutMarks } from '../text/render/without-marks.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import { SessionRow } from './session-row.tsx';

/** Milliseconds without typing after which a search is sent. */
const PAUSE_MS = 150;

/** Initial and maximum number of search results. */
const FEW = 30;
const MANY = 200;

/** The results of a search: sessions, and matches in messages. */
export function SearchResults({ query }: { query: string }) {
  const t = useText();
  const [debounced, setDebounced] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(query), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query]);
  const [limit, setLimit] = useState(FEW);
  const given = useStore(filters);
  // Matches in messages have no model and no state.
  const isFiltered = given.project !== undefined || countMenuFilters(given) > 0;
  const filter = JSON.stringify({ ...given, text: undefined });
  const found = useQuery(`${limit} ${debounced} ${filter}`, async (signal) => {
    const [{ sessions, next }, { hits }] = await Promise.all([
      client.sessions({ query: { ...toQuery(given, Date.now()), search: debounced, limit } }, { signal }),
      isFiltered ? { hits: [] } : client.search({ query: { q: debounced, limit } }, { signal }),
    ]);
    return { sessions, hits, hasMore: limit < MANY && (next !== null || hits.length >= limit) };
  });
  useEffect(() => setListed(found.value?.sessions.map(({ id }) => id) ?? []), [found.value]);
  if (!found.value || found.error !== undefined) return <Pending query={found} title={t.sessions.failed} rows={5} />;
  const { sessions, hits, hasMore } = found.value;
  if (sessions.length + hits.length === 0) {
    return <Empty title={t.sessions.nothingFound(debounced)} hint={t.sessions.nothingFoundHint} />;
  }
  return (
    <div
      className="rows session-list"
      tabIndex={0}
      role="group"
      aria-label={t.sessions.search}
      aria-busy={found.isLoading}
    >
      {sessions.length > 0 ? <h2 className="session-heading line muted">{t.app.sessions}</h2> : null}
      <ul>
        {sessions.map((session) => (
          <li key={session.id}>
            <SessionRow session={session} isCurrent={false} />
          </li>
        ))}
      </ul>
      {hits.length > 0 ? <h2 className="session-heading line muted">{t.sessions.hits}</h2> : null}
      <ul>
        {hits.map((hit) => (
          <li key={`${hit.session} ${hit.seq} ${hit.at}`}>
            <a className="search-hit bare column" href={toHash({ ...toRoute(hit) })}>
              <span className="ellipsis small muted">{hit.sessionTitle ?? t.sessions.untitled}</span>
              <span className="search-snippet">
                {hit.snippet.map(({ text, hit: isHit }, at) =>
                  isHit ? <mark key={at}>{text}</mark> : withoutMarks(text),
                )}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {hasMore ? (
        <Button variant="quiet" className="session-older" onClick={() => setLimit(MANY)}>
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
