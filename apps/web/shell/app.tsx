import { PanelLeft } from 'lucide-react';
import { useEffect } from 'react';
import { useKeys } from '../keys/use-keys.ts';
import { Home } from '../sessions/home.tsx';
import { toggleSidebar } from '../sessions/sidebar-edge.tsx';
import { Sidebar } from '../sessions/sidebar.tsx';
import { host } from '../state/host.ts';
import { overlay } from '../state/overlay.ts';
import { preferences } from '../state/preferences.ts';
import { go, route } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { formatTime } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Empty, Loading } from '../ui/empty.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { loadOverlays, loadSessionPage } from './load-later.ts';
import { BottomBar } from './bottom-bar.tsx';
import { useAttention } from './use-attention.ts';
import { useTabIcon } from './use-tab-icon.ts';
import './shell.css';

const Overlays = lazyComponent(loadOverlays);

const SessionPage = lazyComponent(loadSessionPage, <Loading />);

const SignIn = lazyComponent(async () => (await import('./sign-in.tsx')).SignIn, <Loading />);

const UsagePage = lazyComponent(async () => (await import('../usage/usage-page.tsx')).UsagePage, <Loading />);

const AgentsPage = lazyComponent(async () => (await import('../agents/agents-page.tsx')).AgentsPage, <Loading />);

const BoardPage = lazyComponent(async () => (await import('../board/board-page.tsx')).BoardPage, <Loading />);

const GuardPage = lazyComponent(async () => (await import('../guard/guard-page.tsx')).GuardPage, <Loading />);

const SettingsPage = lazyComponent(
  async () => (await import('../settings/settings-page.tsx')).SettingsPage,
  <Loading />,
);

const DesignPage = lazyComponent(async () => (await import('../design/design-page.tsx')).DesignPage, <Loading />);

export function App() {
  const t = useText();
  const { isSignedOut, link, isLoading, asOf } = useStore(host);
  const here = useStore(route);
  const over = useStore(overlay);
  const { isSidebarHidden } = useStore(preferences);
  useKeys();
  useAttention();
  useTabIcon();
  useEffect(() => {
    // Close the dialog of the previous page.
    overlay.set(undefined);
  }, [here]);
  if (isSignedOut) return <SignIn />;
  return (
    <div className="shell" data-page={here.page}>
      <a className="skip" href="#content" onClick={(event) => skip(event)}>
        {t.app.skip}
      </a>
      <Sidebar />
      {isSidebarHidden ? (
        <div className="sidebar-show wide">
          <IconButton
            label={t.layout.showSidebar}
            keys="mod+b"
            icon={PanelLeft}
            iconSize={16}
            onClick={toggleSidebar}
          />
        </div>
      ) : null}
      <main id="content" className="content column" tabIndex={-1}>
        {link === 'offline' || (link === 'connecting' && !isLoading) ? (
          <p className="offline" role="status">
            {asOf === undefined ? t.link.offline : t.lists.stateOf(formatTime(asOf))}
          </p>
        ) : null}
        <ErrorBoundary key={here.page === 'session' ? here.id : here.page} isPage>
          {here.page === 'home' ? <Home /> : null}
          {here.page === 'unknown' ? <NotFound address={here.address} /> : null}
          {here.page === 'usage' ? <UsagePage /> : null}
          {here.page === 'guard' ? <GuardPage /> : null}
          {here.page === 'design' ? <DesignPage /> : null}
          {here.page === 'settings' ? <SettingsPage section={here.section} /> : null}
          {here.page === 'board' ? <BoardPage compared={here.compared} /> : null}
          {here.page === 'agents' ? <AgentsPage key={here.name} name={here.name} /> : null}
          {here.page === 'session' ? <SessionPage key={here.id} id={here.id} route={here} /> : null}
        </ErrorBoundary>
      </main>
      <BottomBar />
      {over ? <Overlays overlay={over} /> : null}
      <Toasts />
    </div>
  );
}

function NotFound({ address }: { address: string }) {
  const t = useText();
  return (
    <Empty title={t.app.notFound} hint={t.app.notFoundHint(address)} isPage>
      <Button onClick={() => go({ page: 'home' })}>{t.app.toHome}</Button>
    </Empty>
  );
}

/** Moves the focus without the fragment of the link, because the fragment holds the route. */
function skip(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
