import type { SessionView } from '@klaus/server/contract';
import { ATTACH_SOURCES } from '../attach/attach-source.ts';
import { host } from '../state/host.ts';
import { isFinding } from '../state/session-find.ts';
import { overlay } from '../state/overlay.ts';
import { changePreferences, preferences } from '../state/preferences.ts';
import { go, route, toSession, type Tab } from '../state/route.ts';
import { copyText } from './copy-text.ts';
import type { PageCommand } from './page-command.ts';
import { answerQuestion, isQuestionShown, showQuestion } from './question-actions.ts';
import {
  archiveSession,
  compactSession,
  copySession,
  currentSession,
  type ExportFormat,
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

function withSession(work: (session: SessionView) => unknown): () => void {
  return () => {
    const session = currentSession();
    if (session) work(session);
  };
}

const withId = (work: (session: string) => unknown) => withSession(({ id }) => work(id));
const openTab = (tab: Tab) => withId((id) => go(toSession(id, tab)));
const exportAs = (format: ExportFormat) => withSession((session) => exportSession(session, format));
const openBudget = withId((session) => overlay.set({ kind: 'budget', session }));
const openUndo = withId((session) => overlay.set({ kind: 'undo', session, turn: undefined }));
const openOutline = withId((session) => overlay.set({ kind: 'outline', session }));
const openCommit = withId((session) => overlay.set({ kind: 'commit', session }));
const toggleSplit = () => changePreferences({ split: !preferences.get().split });

function withPath(work: (path: string) => unknown): () => void {
  return () => {
    const at = route.get();
    if (at.page === 'session' && at.path !== undefined) work(at.path);
  };
}

const QUESTIONS: readonly PageCommand[] = [
  { id: 'to-question', keys: 'alt+a', title: (t) => t.keys.toQuestion, run: showQuestion },
  {
    id: 'approve',
    needs: 'operator',
    keys: 'alt+y',
    title: (t) => t.keys.approve,
    run: () => answerQuestion('approved'),
  },
  {
    id: 'reject',
    needs: 'operator',
    keys: 'alt+n',
    title: (t) => t.keys.reject,
    run: () => answerQuestion('rejected'),
  },
  { id: 'review', keys: 'alt+h', title: (t) => t.keys.reviewChange, run: () => answerQuestion('review') },
];

const VIEWS: readonly PageCommand[] = [
  { id: 'end', keys: 'G', title: (t) => t.keys.end, run: () => signal('jump-to-end') },
  { id: 'conversation', keys: '1', title: (t) => t.keys.conversation, run: openTab('conversation') },
  {
    id: 'changes',
    keys: '2',
    slash: 'changes',
    aliases: ['diff'],
    title: (t) => t.keys.changes,
    run: openTab('changes'),
  },
  { id: 'files', keys: '3', slash: 'files', title: (t) => t.keys.files, run: openTab('files') },
  { id: 'gate', keys: '4', slash: 'gate', aliases: ['permissions'], title: (t) => t.keys.gate, run: openTab('gate') },
  {
    id: 'budget',
    keys: 'b',
    slash: 'budget',
    aliases: ['cost', 'context'],
    title: (t) => t.keys.budget,
    run: openBudget,
  },
  { id: 'outline', keys: 'o', slash: 'rewind', title: (t) => t.keys.outline, run: openOutline },
  { id: 'layout', keys: 's', title: (t) => t.keys.layout, run: toggleSplit },
];

const WORK: readonly PageCommand[] = [
  { id: 'stop', keys: 'mod+.', title: (t) => t.keys.stop, run: () => signal('stop') },
  { id: 'undo', keys: 'u', slash: 'undo', title: (t) => t.keys.undo, run: openUndo },
  { id: 'redo', keys: 'U', slash: 'redo', title: (t) => t.keys.redo, run: withId(redoTurn) },
  { id: 'resume', keys: 'r', slash: 'resume', title: (t) => t.keys.resume, run: withId(resumeSession) },
  { id: 'retry', keys: 'R', slash: 'retry', title: (t) => t.keys.retry, run: withId(retrySession) },
  { id: 'verify', keys: 'v', slash: 'verify', title: (t) => t.keys.verify, run: withId(verifySession) },
  { id: 'commit', title: (t) => t.keys.commit, run: openCommit },
  { id: 'compact', slash: 'compact', title: (t) => t.slash.compact, run: withId(compactSession) },
  { id: 'fork', keys: 'f', slash: 'fork', title: (t) => t.slash.fork, run: withId(forkSession) },
];

/** Commands for the message field, which the home page has too. */
const MESSAGE: readonly PageCommand[] = [
  { id: 'model', keys: 'm', slash: 'model', title: (t) => t.slash.model, run: () => signal('choose-model') },
  { id: 'mode', keys: 'M', slash: 'mode', title: (t) => t.slash.mode, run: () => signal('choose-mode') },
  { id: 'effort', slash: 'effort', title: (t) => t.slash.effort, run: () => signal('choose-effort') },
  { id: 'attach', keys: '+', title: (t) => t.lists.attachThis(t.lists.attach.files), run: () => signal('attach') },
  ...ATTACH_SOURCES.map((source): PageCommand => ({
    id: `attach-${source}`,
    title: (t) => t.lists.attachThis(t.lists.attach[source]),
    run: () => signal(`attach-${source}`),
  })),
];

const SESSION: readonly PageCommand[] = [
  { id: 'pin', needs: 'operator', keys: 'p', title: (t) => t.keys.pin, run: withSession(pinSession) },
  { id: 'archive', needs: 'operator', keys: 'z', title: (t) => t.keys.archive, run: withSession(archiveSession) },
  {
    id: 'rename',
    needs: 'operator',
    keys: 't',
    slash: 'rename',
    aliases: ['title'],
    title: (t) => t.keys.rename,
    run: () => signal('rename'),
  },
  { id: 'export', keys: 'x', slash: 'export', title: (t) => t.keys.export, run: exportAs('md') },
  { id: 'export-json', keys: 'X', title: (t) => t.sessions.exportJson, run: exportAs('json') },
  { id: 'share', title: (t) => t.sessions.share, run: exportAs('html') },
  { id: 'copy-session', title: (t) => t.sessions.copyMarkdown, run: withSession(copySession) },
  { id: 'copy-address', keys: 'C', title: (t) => t.keys.copyAddress, run: () => void copyText(location.href) },
  {
    id: 'delete',
    needs: 'operator',
    keys: 'shift+Delete',
    title: (t) => t.keys.remove,
    run: withSession(deleteSession),
  },
];

const CONVERSATION: readonly PageCommand[] = [
  { id: 'find-session', keys: 'mod+f', title: (t) => t.keys.findSession, run: () => isFinding.set(true) },
  { id: 'copy-answer', keys: 'c', title: (t) => t.keys.copyAnswer, run: () => signal('copy-answer') },
];

const CHANGES: readonly PageCommand[] = [
  { id: 'next-line', keys: 'j', title: (t) => t.keys.nextLine, run: () => signal('next-line') },
  { id: 'previous-line', keys: 'k', title: (t) => t.keys.previousLine, run: () => signal('previous-line') },
  { id: 'comment', keys: 'c', title: (t) => t.keys.comment, run: () => signal('comment-line') },
  { id: 'viewed', keys: 'e', title: (t) => t.keys.viewed, run: () => signal('mark-viewed') },
];

const FILE: readonly PageCommand[] = [
  { id: 'mention', keys: '@', title: (t) => t.files.mention, run: withPath(mention) },
  { id: 'copy-path', keys: 'w', title: (t) => t.files.copyPath, run: withPath(copyText) },
  { id: 'find', keys: 'mod+f', title: (t) => t.files.find, run: () => signal('find-in-file') },
  { id: 'line', keys: 'l', title: (t) => t.files.line, run: () => signal('go-to-line') },
];

function withOperator(commands: readonly PageCommand[]): PageCommand[] {
  return commands.map((command) => ({ ...command, needs: 'operator' }));
}

function within(where: NonNullable<PageCommand['in']>, commands: readonly PageCommand[]): PageCommand[] {
  return commands.map((command) => ({ ...command, in: where }));
}

/** Commands that are available on the page of a session, in the order of the list of keys. */
export const SESSION_COMMANDS: readonly PageCommand[] = [
  ...within('question', QUESTIONS),
  ...within('changes', CHANGES),
  ...within('conversation', CONVERSATION),
  ...within('session', [...VIEWS, ...withOperator(WORK)]),
  ...withOperator(MESSAGE),
  ...within('session', SESSION),
  ...within('file', FILE),
];

/** True where the current page offers commands of this kind. */
export function isAvailable(where: PageCommand['in']): boolean {
  const at = route.get();
  if (where === undefined) return true;
  if (at.page !== 'session' || !host.get().sessions.has(at.id)) return false;
  if (where === 'conversation') return at.tab === 'conversation' && !isFinding.get();
  if (where === 'changes') return at.tab === 'changes';
  if (where === 'file') return at.tab === 'files' && at.path !== undefined;
  if (where === 'question')
    return at.tab === 'conversation' && ((currentSession()?.questions ?? 0) > 0 || isQuestionShown());
  return true;
}
