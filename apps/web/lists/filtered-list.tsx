import type { SessionView } from '@klaus/server/contract';
import { useEffect, useMemo, useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { clearFilters, filters, isShown, toQuery } from '../state/filters.ts';
import { host } from '../state/host.ts';
import { setListed } from '../state/selection.ts';
import { isOwn } from '../state/session-tree.ts';
import { useStore } from '../state/store.ts';
import { useListsText } from '../text/lists/lists-text.ts';
import { useText } from '../text/text.ts';
import { SessionRow } from '../sessions/session-row.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { useNow } from '../ui/use-now.ts';
import { useQuery } from '../ui/use-query.ts';
import { VirtualList } from '../ui/virtual-list.tsx';
import { ActiveFilters } from './active-filters.tsx';

const PAGE = 100;
/** Height of a session and of the button after the last one, in pixels. */
const ROW = 52;

interface Found {
  sessions: readonly SessionView[];
  next: string | null;
}

/**
 * The sessions that fit the filters, the latest first: those of the server, with the changes that the page receives.
 */
export function FilteredList({ current }: { current: string }) {
  const { filters: t } = useListsText();
  const { sessions: older } = useText();
  const given = useStore(filters);
  const { sessions } = useStore(host);
  const now = useNow();
  const key = `filtered ${JSON.stringify({ ...given, text: undefined })}`;
  const query = useQuery(key, async (signal): Promise<Found> =>
    client.sessions({ query: { ...toQuery(given, Date.now()), limit: PAGE } }, { signal }),
  );
  const [more, setMore] = useState<{ of: Found; found: Found } | undefined>();
  const first = query.isLoading ? undefined : query.value;
  const found = first && more?.of === first ? more.found : first;
  const shown = useMemo(() => {
    const all = new Map((found?.sessions ?? []).map((session) => [session.id, session]));
    // The views of the page are newer.
    for (const [id, session] of sessions) if (all.has(id) || isShown(session, given, now)) all.set(id, session);
    return [...all.values()]
      .filter((session) => isShown(session, given, now) && isOwn(session, sessions))
      .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  }, [found, sessions, given, now]);
  useEffect(() => setListed(shown.map(({ id }) => id)), [shown]);
  const loadMore = async () => {
    if (!first || !found?.next) return;
    const { next } = found;
    const page = await attempt(() =>
      client.sessions({ query: { ...toQuery(given, Date.now()), limit: PAGE, cursor: next } }),
    );
    if (page) setMore({ of: first, found: { sessions: [...found.sessions, ...page.sessions], next: page.next } });
  };
  if (query.error !== undefined || !found) {
    return (
      <>
        <ActiveFilters />
        <Pending query={{ ...query, value: undefined }} title={older.failed} rows={5} />
      </>
    );
  }
  const hasMore = found.next !== null;
  return (
    <>
      <ActiveFilters />
      <p className="session-heading muted number" role="status">
        {t.found(shown.length, hasMore)}
      </p>
      {shown.length === 0 && !hasMore ? (
        <Empty title={t.none} hint={t.noneHint}>
          <Button onClick={clearFilters}>{t.clear}</Button>
        </Empty>
      ) : (
        <VirtualList
          label={t.title}
          className="session-list"
          as="ul"
          isFixed
          count={shown.length + Number(hasMore)}
          estimateSize={() => ROW}
          getItemKey={(at) => shown[at]?.id ?? 'more'}
          overscan={6}
        >
          {(at) =>
            shown[at] ? (
              <SessionRow session={shown[at]} isCurrent={shown[at].id === current} />
            ) : (
              <Button variant="quiet" className="session-older" onClick={() => void loadMore()}>
                {older.older}
              </Button>
            )
          }
        </VirtualList>
      )}
    </>
  );
}
