import type { UserEntry } from '@klaus/sdk/conversation';
import type { ClientAttentionItem, ListedSession } from '@klaus/sdk/client';
import { toLine } from '@klaus/sdk/printable';
import { formatUsd } from '@klaus/sdk/transcript';
import { ChoiceDialog, type Choice, type ChoiceOptions } from '../dialogs/choice-dialog.ts';
import { type App, BUILT_IN } from './app.ts';
import { noteNotRestored } from './not-restored.ts';

/** Sessions of one list. */
const MAX_SESSIONS = 200;
const MAX_LABEL = 200;

/** Asks for one of several things. */
export function choose<T>(app: App, options: Omit<ChoiceOptions<T>, 'palette' | 'onCancel' | 'isBurst'>): void {
  const rows = Math.max(3, Math.min(12, app.screen.terminal.rows - 8));
  app.openDialog(
    new ChoiceDialog<T>({
      rows,
      ...options,
      palette: app.style.palette,
      isBurst: () => options.selected === -1 && app.screen.isBurst,
      onChoose(value) {
        app.closeDialog();
        options.onChoose(value);
      },
      onCancel: () => app.closeDialog(),
    }),
  );
}

export function openHistorySearch(app: App): void {
  const toChoice = (prompt: string): Choice<string> => ({ value: prompt, label: toLine(prompt, MAX_LABEL) });
  choose(app, {
    title: 'Prompts of this project:',
    choices: app.history.search('').map(toChoice),
    search: (words) => app.history.search(words).map(toChoice),
    onChoose: (prompt) => app.composer.setText(prompt),
  });
}

type Part = 'both' | 'conversation' | 'files';

/** Returns to a moment before a message of the user: of the conversation, of the files, or of both. */
export function openRewind(app: App): void {
  if (!app.isReady) return;
  const prompts = app.link.view.conversation.entries.filter(
    (entry): entry is UserEntry => entry.kind === 'user' && !entry.steered,
  );
  if (prompts.length === 0) return app.setHint('There is no message to return to');
  choose(app, {
    title: 'Rewind to before:',
    selected: -1,
    choices: prompts.toReversed().map((entry) => ({
      value: entry,
      label: toLine(entry.text, MAX_LABEL),
      detail: new Date(entry.at).toLocaleTimeString(),
    })),
    onChoose: (entry) =>
      choose<Part>(app, {
        title: 'Restore:',
        selected: -1,
        choices: [
          { value: 'both', label: 'conversation and files' },
          { value: 'conversation', label: 'conversation', detail: 'the files stay as they are' },
          { value: 'files', label: 'files', detail: 'the conversation stays as it is' },
        ],
        onChoose: (part) => app.do(() => rewind(app, entry, part)),
      }),
  });
}

async function rewind(app: App, entry: UserEntry, part: Part): Promise<void> {
  const { link, client } = app;
  if (part === 'files') {
    const undone = await client.restore(link.id!, { kind: 'undo', turn: entry.turn + 1 });
    const { done, changes, conflicts } = undone;
    if (done) {
      app.note(`Restored ${changes.length} paths.`, 'ok');
      return noteNotRestored(app, undone);
    }
    return app.note(`Nothing was restored: others have changed ${conflicts.join(', ')} since.`, 'warn');
  }
  const fork = await client.fork(link.id!, { before: entry.id, files: part === 'both' ? 'then' : 'now' });
  await link.attach(fork);
  app.composer.setText(entry.text);
  app.note(`This is session ${fork}. The one before the rewind is kept: /sessions lists it.`, 'ok');
}

/** The sessions of this project, the newest first. */
export async function openSessions(app: App, search = ''): Promise<void> {
  const here = app.client.server === undefined;
  const rows = await app.client.sessions({ limit: MAX_SESSIONS, here, ...(search === '' ? {} : { search }) });
  if (rows.length === 0) return app.note('There are no sessions yet.');
  return choose(app, {
    title: 'Sessions:',
    choices: rows.map(toSessionChoice),
    onChoose: (id) => app.do(() => app.link.attach(id)),
  });
}

export function toSessionChoice(row: ListedSession): Choice<string> {
  const agent = row.agentType === BUILT_IN ? '' : row.agentType;
  const last = toLine(row.lastLine ?? '', 40);
  const facts = [last, toAge(row.updatedAt), row.status, formatUsd(row.costUsd ?? null), agent, row.id];
  return {
    value: row.id,
    label: toLine(row.title ?? row.firstPrompt ?? row.id, 60),
    detail: facts.filter((text) => text !== '').join(' · '),
  };
}

/** What needs the user, over all sessions, the oldest first. */
export async function openAttention(app: App): Promise<void> {
  const { items } = await app.client.attention();
  if (items.length === 0) return app.note('Nothing needs you.');
  return choose(app, {
    title: 'Needs you:',
    choices: items.map((item) => ({
      value: item,
      label: toLine(item.line || item.title || item.session, 60),
      detail: [item.kind, toAge(item.since), toLine(item.agent, 40), toLine(item.workspace, 60)].join(' · '),
    })),
    onChoose: (item) => app.do(() => openItem(app, item)),
  });
}

/** Shows the session that has needed the user for the longest time. */
export async function openNext(app: App): Promise<void> {
  const { items } = await app.client.attention();
  const oldest = items.find(({ session }) => session !== app.link.id) ?? items[0];
  if (!oldest) return app.note('Nothing needs you.');
  return await openItem(app, oldest);
}

async function openItem(app: App, { session }: ClientAttentionItem): Promise<void> {
  if (session === app.link.id) return app.questions.recall();
  await app.link.attach(session);
  app.questions.update();
}

function toAge(at: string | number): string {
  const minutes = Math.max(0, Math.round((Date.now() - new Date(at).getTime()) / 60_000));
  if (minutes === 0) return 'now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1_440)} days ago`;
}
