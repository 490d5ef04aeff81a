import type { SessionView } from '@klaus/server/contract';
import { access, hasAccess } from '../state/access.ts';
import { client } from '../state/client.ts';
import { groupSessions, host, openHost } from '../state/host.ts';
import { overlay } from '../state/overlay.ts';
import { changePreferences, preferences } from '../state/preferences.ts';
import { go, route, toSession } from '../state/route.ts';
import { rememberSignOut } from '../state/sign-in-flow.ts';
import { toggleSidebar } from '../sessions/sidebar-edge.tsx';
import { attempt } from './attempt.ts';
import { clearLastState } from '../state/last-state.ts';
import { clearDrafts } from '../composer/drafts.ts';
import { clearHistory } from '../composer/history.ts';
import type { Section } from '../settings/sections.ts';
import type { PageCommand } from './page-command.ts';
import { isAvailable, SESSION_COMMANDS } from './session-commands.ts';
import { signal } from './signal.ts';

/** Opens the session `by` steps after the current one. Without a current one: the first or the last. */
function openNext(all: readonly SessionView[], by: 1 | -1): void {
  const at = route.get();
  const index = at.page === 'session' ? all.findIndex(({ id }) => id === at.id) : -1;
  const next = index < 0 && by < 0 ? all.at(-1) : all[(index + by + all.length) % Math.max(1, all.length)];
  if (next) go(toSession(next.id));
}

function openNeighbor(by: 1 | -1): void {
  const { waiting, pinned, others } = groupSessions(host.get());
  openNext([...waiting, ...pinned, ...others], by);
}

function openNextQuestion(): void {
  openNext(groupSessions(host.get()).waiting, 1);
}

function toggleTheme(): void {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const { theme } = preferences.get();
  const shown = theme === 'system' || theme === 'contrast' ? (isDark ? 'dark' : 'light') : theme;
  changePreferences({ theme: shown === 'dark' ? 'light' : 'dark' });
}

const openSettings = (section: Section) => () => go({ page: 'settings', section });

async function signOut(): Promise<void> {
  const answer = await attempt(() => client.signOut());
  rememberSignOut(answer?.provider);
  clearDrafts();
  clearLastState();
  clearHistory();
  (await import('../comments/comments.ts')).clearComments();
  openHost();
}

export const COMMANDS: readonly PageCommand[] = [
  { id: 'palette', keys: 'mod+k', title: (t) => t.keys.palette, run: () => overlay.set({ kind: 'palette' }) },
  { id: 'search', keys: '/', slash: 'sessions', title: (t) => t.keys.search, run: () => signal('focus-search') },
  { id: 'new', keys: 'n', slash: 'new', title: (t) => t.keys.newSession, run: () => go({ page: 'home' }) },
  { id: 'message', keys: 'i', title: (t) => t.keys.message, run: () => signal('focus-message') },
  { id: 'question', keys: 'q', slash: 'next', title: (t) => t.keys.nextQuestion, run: openNextQuestion },
  { id: 'next', keys: ']', title: (t) => t.keys.next, run: () => openNeighbor(1) },
  { id: 'previous', keys: '[', title: (t) => t.keys.previous, run: () => openNeighbor(-1) },
  { id: 'usage', keys: 'g u', title: (t) => t.keys.usage, run: () => go({ page: 'usage' }) },
  { id: 'board', keys: 'g b', title: (t) => t.attention.board, run: () => go({ page: 'board' }) },
  { id: 'guard', keys: 'g g', title: (t) => t.attention.guard, run: () => go({ page: 'guard' }) },
  { id: 'agents', keys: 'g a', slash: 'agents', title: (t) => t.app.agents, run: () => go({ page: 'agents' }) },
  { id: 'settings', keys: 'g s', title: (t) => t.app.settings, run: () => go({ page: 'settings' }) },
  { id: 'home', keys: 'g h', title: (t) => t.keys.home, run: () => go({ page: 'home' }) },
  { id: 'sidebar', keys: 'mod+b', title: (t) => t.layout.toggleSidebar, run: toggleSidebar },
  { id: 'theme', keys: 'g t', slash: 'theme', title: (t) => t.keys.theme, run: toggleTheme },
  {
    id: 'preferences',
    keys: 'mod+,',
    title: (t) => t.keys.preferences,
    run: openSettings('appearance'),
  },
  { id: 'keyboard', slash: 'keys', title: (t) => t.slash.keys, run: openSettings('keyboard') },
  { id: 'notifications', slash: 'notify', title: (t) => t.slash.notify, run: openSettings('notifications') },
  { id: 'memory', needs: 'admin', slash: 'memory', title: (t) => t.slash.memory, run: openSettings('memory') },
  { id: 'doctor', needs: 'admin', slash: 'doctor', title: (t) => t.slash.doctor, run: openSettings('sandbox') },
  {
    id: 'letters',
    title: (t) => (preferences.get().letterKeys ? t.keys.lettersOff : t.keys.lettersOn),
    run: () => changePreferences({ letterKeys: !preferences.get().letterKeys }),
  },
  { id: 'help', keys: '?', slash: 'help', title: (t) => t.keys.help, run: () => overlay.set({ kind: 'keys' }) },
  { id: 'sign-out', title: (t) => t.keys.signOut, run: () => void signOut() },
  ...SESSION_COMMANDS,
];

export function availableCommands(): readonly PageCommand[] {
  const canSignOut = access.get()?.canSignOut ?? true;
  return COMMANDS.filter(
    ({ id, in: where, needs }) => isAvailable(where) && hasAccess(needs) && (canSignOut || id !== 'sign-out'),
  );
}
