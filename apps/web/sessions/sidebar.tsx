import { ChartColumn, Keyboard, Search, Settings2, SquarePen, X } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { host, openHost } from '../state/host.ts';
import { overlay } from '../state/overlay.ts';
import { go, route } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { Failed, Loading } from '../ui/empty.tsx';
import { toKeysText } from '../keys/keys.tsx';
import { useSignal } from '../actions/use-signal.ts';
import { SearchResults } from './search-results.tsx';
import { SessionList } from './session-list.tsx';
import './sidebar.css';

export function Sidebar() {
  const t = useText();
  const { sessions, isLoading, link } = useStore(host);
  const here = useStore(route);
  const [query, setQuery] = useState('');
  const search = useRef<HTMLInputElement>(null);
  useSignal('focus-search', () => search.current?.focus());
  const list = useMemo(() => [...sessions.values()], [sessions]);
  return (
    <nav className="sidebar column" aria-label={t.app.sessions}>
      <header className="sidebar-head line">
        <a className="sidebar-name" href="#/">
          Klaus
        </a>
        <IconButton
          label={t.app.usage}
          keys={toKeysText('g u')}
          icon={<ChartColumn size={16} />}
          aria-pressed={here.page === 'usage'}
          onClick={() => go({ page: 'usage' })}
        />
        <IconButton
          label={t.app.palette}
          keys={toKeysText('mod+k')}
          icon={<Keyboard size={16} />}
          onClick={() => overlay.set({ kind: 'palette' })}
        />
        <IconButton
          label={t.app.preferences}
          keys={toKeysText('mod+,')}
          icon={<Settings2 size={16} />}
          onClick={() => overlay.set({ kind: 'preferences' })}
        />
        <IconButton
          label={t.app.newSession}
          keys={toKeysText('n')}
          icon={<SquarePen size={16} />}
          onClick={() => go({ page: 'home' })}
        />
      </header>
      <div className="sidebar-search search line" role="search">
        <Search size={14} aria-hidden className="muted" />
        <input
          ref={search}
          type="search"
          aria-label={t.sessions.search}
          placeholder={t.sessions.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            setQuery('');
            search.current?.blur();
          }}
        />
        {query === '' ? null : <IconButton label={t.app.close} icon={<X size={14} />} onClick={() => setQuery('')} />}
      </div>
      {link === 'refused' ? <Failed title={t.sessions.failed} error={t.link.unreachable} retry={openHost} /> : null}
      {isLoading && link !== 'refused' ? <Loading rows={8} /> : null}
      {!isLoading && query.trim() !== '' ? <SearchResults query={query.trim()} /> : null}
      {!isLoading && query.trim() === '' ? (
        <SessionList sessions={list} current={here.page === 'session' ? here.id : ''} />
      ) : null}
    </nav>
  );
}
