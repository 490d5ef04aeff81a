import {
  Bot,
  ChartColumn,
  Columns3,
  Keyboard,
  PanelLeft,
  Search,
  Settings2,
  ShieldCheck,
  SquarePen,
  UserRound,
  X,
} from 'lucide-react';
import { useRef } from 'react';
import { access } from '../state/access.ts';
import { changeFilters, countMenuFilters, filters } from '../state/filters.ts';
import { host, openHost } from '../state/host.ts';
import { overlay } from '../state/overlay.ts';
import { go, route, type Route } from '../state/route.ts';
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
      <Places here={here} />
      <SidebarEdge />
    </nav>
  );
}

/** The links to the other pages, and the commands. */
function Places({ here }: { here: Route }) {
  const t = useText();
  const isUsage = here.page === 'usage';
  const isBoard = here.page === 'board';
  const isGuard = here.page === 'guard';
  const isAgents = here.page === 'agents';
  const places = [
    { label: t.attention.board, keys: 'g b', icon: Columns3, isPressed: isBoard, run: () => go({ page: 'board' }) },
    { label: t.app.usage, keys: 'g u', icon: ChartColumn, isPressed: isUsage, run: () => go({ page: 'usage' }) },
    { label: t.app.guard, keys: 'g g', icon: ShieldCheck, isPressed: isGuard, run: () => go({ page: 'guard' }) },
    { label: t.app.agents, keys: 'g a', icon: Bot, isPressed: isAgents, run: () => go({ page: 'agents' }) },
    { label: t.app.palette, keys: 'mod+k', icon: Keyboard, run: () => overlay.set({ kind: 'palette' }) },
    {
      label: t.app.settings,
      keys: 'g s',
      icon: Settings2,
      isPressed: here.page === 'settings',
      run: () => go({ page: 'settings' }),
    },
  ];
  return (
    <footer className="sidebar-foot">
      {places.map(({ label, keys, icon: Icon, isPressed, run }) => (
        <button
          key={keys}
          type="button"
          className="sidebar-place bare column"
          title={`${label} (${toKeysText(keys)})`}
          aria-pressed={isPressed}
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
