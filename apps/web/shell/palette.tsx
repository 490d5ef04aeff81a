import { useCallback, type ReactNode } from 'react';
import { availableCommands } from '../actions/commands.ts';
import { boundKeys } from '../keys/bindings.ts';
import { hasCharacter } from '../keys/keymap.ts';
import { Keys } from '../keys/keys.tsx';
import { groupSessions, host, nameOf } from '../state/host.ts';
import { preferences } from '../state/preferences.ts';
import { closeOverlay } from '../state/overlay.ts';
import { go, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FilterList, type FilterItem } from '../ui/filter-list.tsx';
import { StateMark } from '../ui/state-mark.tsx';
import { matchWords, rankWords } from './match-words.ts';
import './palette.css';

interface Row extends FilterItem {
  /** Without a query. */
  group?: string;
  title: string;
  icon?: ReactNode;
  hint?: ReactNode;
}

const MAX_ROWS = 50;
/** Sessions that are listed before the user types. */
const MAX_RECENT = 5;

export function Palette() {
  const t = useText();
  const { sessions, attention } = useStore(host);
  const { letterKeys } = useStore(preferences);
  const find = useCallback(
    (query: string): Row[] => {
      const actions = availableCommands()
        .filter((command) => command.id !== 'palette')
        .map((command) => ({
          key: command.id,
          group:
            command.in === undefined ? t.palette.actions : t.keys[command.in === 'changes' ? 'inChanges' : command.in],
          title: command.title(t),
          hint:
            command.keys === undefined || (!letterKeys && hasCharacter(boundKeys(command.keys) ?? '')) ? undefined : (
              <Keys keys={command.keys} />
            ),
          run: command.run,
        }));
      const { waiting, pinned, others } = groupSessions({ sessions, attention });
      const targets = [...waiting, ...pinned, ...others].map((session) => ({
        key: session.id,
        group: t.palette.recent,
        title: nameOf(session) ?? t.sessions.untitled,
        icon: <StateMark state={session.state} outcome={session.outcome} size={14} />,
        hint: <span className="muted">{t.palette.sessions}</span>,
        run: () => go(toSession(session.id)),
      }));
      // Without a query, the commands of the present view and the latest sessions come first.
      if (query.trim() === '') {
        const here = actions.filter(({ group }) => group !== t.palette.actions);
        return [...targets.slice(0, MAX_RECENT), ...here, ...actions.filter((each) => !here.includes(each))];
      }
      return [...actions, ...targets]
        .map(({ group: _, ...row }): Row => row)
        .filter(({ title }) => matchWords(title, query))
        .toSorted((a, b) => rankWords(a.title, query) - rankWords(b.title, query))
        .slice(0, MAX_ROWS);
    },
    [sessions, attention, letterKeys, t],
  );
  return (
    <Dialog title={t.palette.title} onClose={closeOverlay} hasHead={false} className="palette">
      <FilterList
        label={t.palette.actions}
        placeholder={t.palette.search}
        noMatches={t.palette.none}
        variant="palette"
        find={find}
        toGroup={({ group }) => group}
        onClose={closeOverlay}
      >
        {({ icon, title, hint }) => (
          <>
            {icon}
            <span className="ellipsis">{title}</span>
            {hint}
          </>
        )}
      </FilterList>
    </Dialog>
  );
}
