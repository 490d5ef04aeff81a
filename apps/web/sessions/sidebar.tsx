import { PanelLeft, Search, SquarePen, UserRound, X } from 'lucide-react';
import { useRef } from 'react';
import { access } from '../state/access.ts';
import { changeFilters, countMenuFilters, filters } from '../state/filters.ts';
import { host, openHost } from '../state/host.ts';
import { go, route } from '../state/route.ts';
import { selection } from '../state/selection.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { BrandMark } from '../ui/brand-mark.tsx';
import { IconButton } from '../ui/button.tsx';
import { Failed, Loading } from '../ui/empty.tsx';
import { toKeysText } from '../keys/keys.tsx';
import { useSignal } from '../actions/use-signal.ts';
import { FilterMenu } from '../lists/filter-menu.tsx';
import { ProjectSwitcher } from '../projects/project-switcher.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { usePlaces } from './places.ts';
import { SearchResults } from './search-results.tsx';
import { SidebarEdge, toggleSidebar } from './sidebar-edge.tsx';
import { SessionList } from './session-list.tsx';
import './sidebar.css';
import '../lists/lists.css';

const FilteredList = lazyComponent(
  async () => (await import('../lists/filtered-list.tsx')).FilteredList,
  <Loading rows={5} />,
);

const BulkBar = lazyComponent(async () => (await import('../lists/bulk-bar.tsx')).BulkBar);

export function Sidebar() {
  const t = useText();
  const { sessions, isLoading, link } = useStore(host);
  const here = useStore(route);
  const given = useStore(filters);
  const query = given.text ?? '';
  const setQuery = (text: string) => changeFilters({ text: text || undefined });
  const { isOn: isSelecting } = useStore(selection);
  const search = useRef<HTMLInputElement>(null);
  useSignal('focus-search', () => search.current?.focus());
  const isFiltered = countMenuFilters(given) > 0;
  const current = here.page === 'session' ? here.id : '';
  return (
    <nav className="sidebar column" aria-label={t.app.sessions}>
      <header className="sidebar-head line">
        <a className="sidebar-name line" href="#/">
          <BrandMark />
          Klaus
        </a>
        <IconButton
          className="wide"
          label={t.layout.hideSidebar}
          keys="mod+b"
          icon={PanelLeft}
          iconSize={16}
          onClick={toggleSidebar}
        />
        <IconButton
          label={t.app.newSession}
          keys="n"
          icon={SquarePen}
          iconSize={16}
          onClick={() => go({ page: 'home' })}
        />
      </header>
      <ProjectSwitcher />
      <div className="sidebar-find line">
        <div className="sidebar-search search line grow" role="search">
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
          {query === '' ? null : <IconButton label={t.app.close} icon={X} onClick={() => setQuery('')} />}
        </div>
        <FilterMenu />
      </div>
      {link === 'refused' ? <Failed title={t.sessions.failed} error={t.link.unreachable} retry={openHost} /> : null}
      {isLoading && link !== 'refused' ? <Loading rows={8} /> : null}
      {!isLoading && query.trim() !== '' ? <SearchResults query={query.trim()} /> : null}
      {!isLoading && query.trim() === '' ? (
        isFiltered ? (
          <FilteredList current={current} />
        ) : (
          <SessionList sessions={sessions} project={given.project} current={current} />
        )
      ) : null}
      {isSelecting ? <BulkBar /> : null}
      <SignedIn />
      <Places />
      <SidebarEdge />
    </nav>
  );
}

/** The links to the other pages, and the commands. A narrow page has them in its bottom bar. */
function Places() {
  return (
    <footer className="sidebar-foot">
      {usePlaces().map(({ label, keys, icon: Icon, isCurrent = false, run }) => (
        <button
          key={keys}
          type="button"
          className="sidebar-place bare column"
          title={`${label} (${toKeysText(keys)})`}
          aria-pressed={isCurrent}
          onClick={run}
        >
          <Icon size={16} aria-hidden />
          <span className="ellipsis">{label}</span>
        </button>
      ))}
    </footer>
  );
}

/** Who is signed in. Nothing for the user who runs the server. */
function SignedIn() {
  const t = useText();
  const signedIn = useStore(access)?.signedIn;
  if (!signedIn || signedIn.name === null) return null;
  return (
    <p className="sidebar-person line small muted">
      <UserRound size={14} aria-hidden />
      <span className="unseen">{t.signIn.as}</span>
      <span className="ellipsis">{signedIn.name}</span>
      <span>{t.signIn.roles[signedIn.role]}</span>
    </p>
  );
}
