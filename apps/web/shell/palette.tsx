import { Search } from 'lucide-react';
import { useId, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { availableCommands } from '../actions/commands.ts';
import { hasCharacter } from '../keys/keymap.ts';
import { Keys } from '../keys/keys.tsx';
import { groupSessions, host, nameOf } from '../state/host.ts';
import { preferences } from '../state/preferences.ts';
import { closeOverlay } from '../state/overlay.ts';
import { go, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { StateMark } from '../ui/state-mark.tsx';
import { useChoice } from '../ui/use-choice.ts';
import { matchWords, rankWords } from './match-words.ts';
import './palette.css';

interface Row {
  key: string;
  title: string;
  icon?: ReactNode;
  hint?: ReactNode;
  run: () => void;
}

/** Rows that are shown at most. */
const MAX_ROWS = 50;

/** Finds and does whatever the page can do, and goes to any session. */
export function Palette() {
  const t = useText();
  const { sessions } = useStore(host);
  const { letterKeys } = useStore(preferences);
  const [query, setQuery] = useState('');
  const id = useId();
  const rows = useMemo((): Row[] => {
    const actions = availableCommands()
      .filter((command) => command.id !== 'palette')
      .map((command) => ({
        key: command.id,
        title: command.title(t),
        hint:
          command.keys === undefined || (!letterKeys && hasCharacter(command.keys)) ? undefined : (
            <Keys keys={command.keys} />
          ),
        run: command.run,
      }));
    const { waiting, pinned, others } = groupSessions(sessions.values());
    const places = [...waiting, ...pinned, ...others].map((session) => ({
      key: session.id,
      title: nameOf(session) ?? t.sessions.untitled,
      icon: <StateMark state={session.state} size={14} />,
      hint: <span className="muted">{t.palette.sessions}</span>,
      run: () => go(toSession(session.id)),
    }));
    return [...actions, ...places]
      .filter(({ title }) => matchWords(title, query))
      .toSorted((a, b) => rankWords(a.title, query) - rankWords(b.title, query))
      .slice(0, MAX_ROWS);
  }, [query, sessions, letterKeys, t]);
  const { at, choose, step } = useChoice(rows.length, { hasEnds: query === '' });
  const run = (row: Row | undefined) => {
    if (!row) return;
    closeOverlay();
    row.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') run(rows[at]);
    else if (!step(event.key)) return;
    event.preventDefault();
  };
  return (
    <Dialog title={t.palette.title} onClose={closeOverlay} hasHead={false} className="palette">
      <div className="palette-search">
        <Search size={16} className="muted" />
        <input
          data-first
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={rows[at] ? `${id}-${at}` : undefined}
          aria-label={t.palette.search}
          placeholder={t.palette.search}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            choose(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div role="listbox" id={id} aria-label={t.palette.actions} className="palette-rows">
        {rows.map((row, index) => (
          <div
            key={row.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className="palette-row"
            ref={(element) => {
              if (index === at) element?.scrollIntoView({ block: 'nearest' });
            }}
            onMouseMove={() => choose(index)}
            onClick={() => run(row)}
          >
            {row.icon}
            <span className="ellipsis">{row.title}</span>
            {row.hint}
          </div>
        ))}
      </div>
      {rows.length === 0 ? <p className="palette-none muted">{t.palette.none}</p> : null}
    </Dialog>
  );
}
