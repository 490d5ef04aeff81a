import { host } from '../state/host.ts';
import { overlay } from '../state/overlay.ts';
import { changePreferences, preferences } from '../state/preferences.ts';
import { go, route, toSession, type Tab } from '../state/route.ts';
import { copyText } from './copy-text.ts';
import type { PageCommand } from './page-command.ts';
import { answerQuestion, showQuestion } from './question-actions.ts';
import {
  currentSession,
  deleteSession,
  exportSession,
  forkSession,
  pinSession,
  redoTurn,
  resumeSession,
  retrySession,
  verifySession,
} from './session-actions.ts';
import { mention, signal } from './signal.ts';

function withSession(work: (session: NonNullable<ReturnType<typeof currentSession>>) => void): () => void {
  return () => {
    const session = currentSession();
    if (session) work(session);
  };
}

const openTab = (tab: Tab) => withSession(({ id }) => go(toSession(id, tab)));

/** Runs with the path of the file view. */
function withPath(work: (path: string, session: string) => void): () => void {
  return () => {
    const at = route.get();
    if (at.page === 'session' && at.path !== undefined) work(at.path, at.id);
  };
}

/** Commands for open questions. */
const QUESTIONS: readonly PageCommand[] = [
  { id: 'to-question', keys: 'a', in: 'question', title: (t) => t.keys.toQuestion, run: showQuestion },
  { id: 'approve', keys: 'A', in: 'question', title: (t) => t.keys.approve, run: () => answerQuestion('approved') },
  { id: 'reject', keys: 'D', in: 'question', title: (t) => t.keys.reject, run: () => answerQuestion('rejected') },
  { id: 'review', keys: 'd', in: 'question', title: (t) => t.keys.reviewChange, run: () => answerQuestion('review') },
];

const VIEWS: readonly PageCommand[] = [
  { id: 'end', keys: 'G', in: 'session', title: (t) => t.keys.end, run: () => signal('jump-to-end') },
  { id: 'conversation', keys: '1', in: 'session', title: (t) => t.keys.conversation, run: openTab('conversation') },
  { id: 'changes', keys: '2', slash: 'changes', in: 'session', title: (t) => t.keys.changes, run: openTab('changes') },
  { id: 'files', keys: '3', slash: 'files', in: 'session', title: (t) => t.keys.files, run: openTab('files') },
  { id: 'gate', keys: '4', slash: 'gate', in: 'session', title: (t) => t.keys.gate, run: openTab('gate') },
  {
    id: 'budget',
    keys: 'b',
    slash: 'budget',
    in: 'session',
    title: (t) => t.keys.budget,
    run: withSession(({ id }) => overlay.set({ kind: 'budget', session: id })),
  },
  {
    id: 'layout',
    keys: 's',
    in: 'session',
    title: (t) => t.keys.layout,
    run: () => changePreferences({ split: !preferences.get().split }),
  },
];

const WORK: readonly PageCommand[] = [
  {
    id: 'stop',
    keys: 'mod+.',
    in: 'session',
    title: (t) => t.keys.stop,
    run: () => signal('stop'),
  },
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
    id: 'verify',
    keys: 'v',
    slash: 'verify',
    in: 'session',
    title: (t) => t.keys.verify,
    run: withSession(({ id }) => void verifySession(id)),
  },
  {
    id: 'fork',
    keys: 'f',
    slash: 'fork',
    in: 'session',
    title: (t) => t.slash.fork,
    run: withSession(({ id }) => void forkSession(id)),
  },
  { id: 'model', keys: 'm', slash: 'model', title: (t) => t.slash.model, run: () => signal('choose-model') },
  { id: 'mode', keys: 'M', slash: 'mode', title: (t) => t.slash.mode, run: () => signal('choose-mode') },
  { id: 'attach', keys: '+', title: (t) => t.composer.attach, run: () => signal('attach') },
];

const SESSION: readonly PageCommand[] = [
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
    run: () => signal('rename'),
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
    id: 'export-json',
    keys: 'X',
    in: 'session',
    title: (t) => t.sessions.exportJson,
    run: withSession((session) => void exportSession(session, 'json')),
  },
  { id: 'copy-answer', keys: 'c', in: 'session', title: (t) => t.keys.copyAnswer, run: () => signal('copy-answer') },
  {
    id: 'copy-address',
    keys: 'C',
    in: 'session',
    title: (t) => t.keys.copyAddress,
    run: () => void copyText(location.href),
  },
  {
    id: 'delete',
    keys: 'shift+Delete',
    in: 'session',
    title: (t) => t.keys.remove,
    run: withSession((session) => void deleteSession(session)),
  },
];

const FILE: readonly PageCommand[] = [
  { id: 'mention', keys: '@', in: 'file', title: (t) => t.files.mention, run: withPath((path) => mention(path)) },
  {
    id: 'copy-path',
    keys: 'y',
    in: 'file',
    title: (t) => t.files.copyPath,
    run: withPath((path) => void copyText(path)),
  },
  { id: 'find', keys: 'mod+f', in: 'file', title: (t) => t.files.find, run: () => signal('find-in-file') },
  { id: 'line', keys: 'l', in: 'file', title: (t) => t.files.line, run: () => signal('go-to-line') },
];

/** Commands that are available on the page of a session. */
export const SESSION_COMMANDS: readonly PageCommand[] = [...QUESTIONS, ...VIEWS, ...WORK, ...SESSION, ...FILE];

/** True where the current page offers commands of this kind. */
export function isAvailable(where: PageCommand['in']): boolean {
  const at = route.get();
  if (where === undefined) return true;
  if (at.page !== 'session' || !host.get().sessions.has(at.id)) return false;
  if (where === 'file') return at.tab === 'files' && at.path !== undefined;
  if (where === 'question') return (currentSession()?.questions ?? 0) > 0;
  return true;
}
