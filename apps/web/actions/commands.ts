import { client } from '../state/client.ts';
import { groupSessions, host, openHost } from '../state/host.ts';
import { overlay } from '../state/overlay.ts';
import { changePreferences, preferences } from '../state/preferences.ts';
import { go, route, toSession, type Tab } from '../state/route.ts';
import type { Text } from '../text/en.ts';
import { attempt } from './attempt.ts';
import {
  currentSession,
  deleteSession,
  exportSession,
  forkSession,
  pinSession,
  redoTurn,
  resumeSession,
  retrySession,
} from './session-actions.ts';

/** Something that a person can do from the keyboard, the palette or both. */
export interface PageCommand {
  id: string;
  /** As `matchKeys` reads them, such as `mod+k` or `g u`. */
  keys?: string;
  /** A name for `/` in the composer, where it has one. */
  slash?: keyof Text['slash'];
  title: (t: Text) => string;
  /** Where it makes sense. Default everywhere. */
  in?: 'session';
  run: () => void;
}

function withSession(work: (session: NonNullable<ReturnType<typeof currentSession>>) => void): () => void {
  return () => {
    const session = currentSession();
    if (session) work(session);
  };
}

/** What the page's parts listen to, where a command is theirs to do. */
export type Signal = 'focus-search' | 'focus-message' | 'jump-to-end' | 'choose-model' | 'stop';

function signal(name: Signal): void {
  dispatchEvent(new CustomEvent('klaus', { detail: name }));
}

function step(by: 1 | -1): void {
  const { waiting, pinned, others } = groupSessions(host.get().sessions.values());
  const all = [...waiting, ...pinned, ...others];
  const at = route.get();
  const index = at.page === 'session' ? all.findIndex(({ id }) => id === at.id) : -1;
  const next = all[index < 0 ? (by > 0 ? 0 : all.length - 1) : (index + by + all.length) % all.length];
  if (next) go(toSession(next.id));
}

function toNextQuestion(): void {
  const { waiting } = groupSessions(host.get().sessions.values());
  const at = route.get();
  const index = at.page === 'session' ? waiting.findIndex(({ id }) => id === at.id) : -1;
  const next = waiting[(index + 1) % Math.max(1, waiting.length)];
  if (next) go(toSession(next.id));
}

const openTab = (tab: Tab) => withSession(({ id }) => go(toSession(id, tab)));

function swapTheme(): void {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const { theme } = preferences.get();
  const shown = theme === 'system' ? (isDark ? 'dark' : 'light') : theme;
  changePreferences({ theme: shown === 'dark' ? 'light' : 'dark' });
}

async function signOut(): Promise<void> {
  await attempt(() => client.signOut());
  openHost();
}

/** Everything that can be done from the keyboard or the palette. */
export const COMMANDS: readonly PageCommand[] = [
  { id: 'palette', keys: 'mod+k', title: (t) => t.keys.palette, run: () => overlay.set({ kind: 'palette' }) },
  { id: 'search', keys: '/', title: (t) => t.keys.search, run: () => signal('focus-search') },
  { id: 'new', keys: 'n', slash: 'new', title: (t) => t.keys.newSession, run: () => go({ page: 'home' }) },
  { id: 'next', keys: ']', title: (t) => t.keys.next, run: () => step(1) },
  { id: 'previous', keys: '[', title: (t) => t.keys.previous, run: () => step(-1) },
  { id: 'question', keys: 'q', title: (t) => t.keys.nextQuestion, run: toNextQuestion },
  { id: 'usage', keys: 'g u', title: (t) => t.keys.usage, run: () => go({ page: 'usage' }) },
  { id: 'home', keys: 'g h', title: (t) => t.keys.home, run: () => go({ page: 'home' }) },
  { id: 'theme', keys: 'g t', title: (t) => t.keys.theme, run: swapTheme },
  {
    id: 'preferences',
    keys: 'mod+,',
    title: (t) => t.keys.preferences,
    run: () => overlay.set({ kind: 'preferences' }),
  },
  { id: 'help', keys: '?', title: (t) => t.keys.help, run: () => overlay.set({ kind: 'keys' }) },
  { id: 'sign-out', title: (t) => t.keys.signOut, run: () => void signOut() },
  { id: 'message', keys: 'i', title: (t) => t.keys.message, run: () => signal('focus-message') },
  {
    id: 'stop',
    keys: 'mod+.',
    in: 'session',
    title: (t) => t.keys.stop,
    run: () => signal('stop'),
  },
  { id: 'end', keys: 'G', in: 'session', title: (t) => t.keys.end, run: () => signal('jump-to-end') },
  { id: 'conversation', keys: '1', in: 'session', title: (t) => t.keys.conversation, run: openTab('conversation') },
  { id: 'changes', keys: '2', slash: 'changes', in: 'session', title: (t) => t.keys.changes, run: openTab('changes') },
  { id: 'files', keys: '3', slash: 'files', in: 'session', title: (t) => t.keys.files, run: openTab('files') },
  { id: 'gate', keys: '4', slash: 'gate', in: 'session', title: (t) => t.keys.gate, run: openTab('gate') },
  {
    id: 'undo',
    keys: 'u',
    slash: 'undo',
    in: 'session',
    title: (t) => t.keys.undo,
    run: withSession(({ id }) => overlay.set({ kind: 'undo', session: id, turn: undefined })),
  },
  {
    id: 'redo',
    keys: 'U',
    slash: 'redo',
    in: 'session',
    title: (t) => t.keys.redo,
    run: withSession(({ id }) => void redoTurn(id)),
  },
  {
    id: 'resume',
    keys: 'r',
    slash: 'resume',
    in: 'session',
    title: (t) => t.keys.resume,
    run: withSession(({ id }) => void resumeSession(id)),
  },
  {
    id: 'retry',
    keys: 'R',
    slash: 'retry',
    in: 'session',
    title: (t) => t.keys.retry,
    run: withSession(({ id }) => void retrySession(id)),
  },
  {
    id: 'fork',
    keys: 'f',
    slash: 'fork',
    in: 'session',
    title: (t) => t.slash.fork,
    run: withSession(({ id }) => void forkSession(id)),
  },
  {
    id: 'pin',
    keys: 'p',
    in: 'session',
    title: (t) => t.keys.pin,
    run: withSession((session) => void pinSession(session)),
  },
  {
    id: 'rename',
    keys: 't',
    slash: 'rename',
    in: 'session',
    title: (t) => t.keys.rename,
    run: withSession(({ id }) => overlay.set({ kind: 'rename', session: id })),
  },
  {
    id: 'export',
    keys: 'x',
    slash: 'export',
    in: 'session',
    title: (t) => t.keys.export,
    run: withSession((session) => void exportSession(session, 'md')),
  },
  {
    id: 'model',
    keys: 'm',
    slash: 'model',
    in: 'session',
    title: (t) => t.slash.model,
    run: () => signal('choose-model'),
  },
  {
    id: 'delete',
    keys: 'shift+Delete',
    in: 'session',
    title: (t) => t.keys.remove,
    run: withSession((session) => void deleteSession(session)),
  },
];

/** Those that make sense where the page is. */
export function commandsHere(): readonly PageCommand[] {
  return COMMANDS.filter((command) => command.in !== 'session' || currentSession() !== undefined);
}
