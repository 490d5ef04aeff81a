import { useCallback } from 'react';
import { matchWords } from '../shell/match-words.ts';
import { host, nameOf, sessionOf } from '../state/host.ts';
import { closeOverlay } from '../state/overlay.ts';
import { go } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FilterList } from '../ui/filter-list.tsx';
import { StateMark } from '../ui/state-mark.tsx';

/** Chooses a session of the same folder, forks first, and shows the changes of both side by side. */
export function CompareDialog({ session }: { session: string }) {
  const t = useChangesText();
  const words = useText();
  const known = useStore(host);
  const own = sessionOf(known, session);
  const find = useCallback(
    (query: string) => {
      const others = [...known.sessions.values()].filter(
        (it) => it.id !== session && it.parent === null && it.workspace === own?.workspace,
      );
      const isRelated = (it: (typeof others)[number]) =>
        it.forkedFrom === session ||
        it.id === own?.forkedFrom ||
        (it.forkedFrom !== null && it.forkedFrom === own?.forkedFrom);
      return others
        .map((it) => ({
          key: it.id,
          name: nameOf(it) ?? words.sessions.untitled,
          session: it,
          isRelated: isRelated(it),
          run: () => go({ page: 'board', compared: [session, it.id] }),
        }))
        .filter(({ name }) => matchWords(name, query.trim()))
        .toSorted((a, b) => Number(b.isRelated) - Number(a.isRelated));
    },
    [known, session, own, words],
  );
  return (
    <Dialog title={words.sessions.compare} onClose={closeOverlay} hasHead={false} className="palette">
      <FilterList
        label={words.sessions.compare}
        placeholder={t.compare.search}
        noMatches={t.compare.none}
        variant="palette"
        find={find}
        onClose={closeOverlay}
      >
        {({ name, session: it, isRelated }) => (
          <>
            <StateMark state={it.state} outcome={it.outcome} size={14} />
            <span className="ellipsis grow">{name}</span>
            {isRelated ? <span className="muted small">{t.compare.related}</span> : null}
          </>
        )}
      </FilterList>
    </Dialog>
  );
}
