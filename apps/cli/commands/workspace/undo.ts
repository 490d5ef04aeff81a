import type { Conflict, Klaus, LatestWith, Restored, RestoreRequest, Session, TreeChange } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { hasKeyboard, openKeyboard } from '../../prompt/keyboard.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { UsageError } from '../../program/report-error.ts';
import { err, out } from '../../output/sink.ts';

export interface UndoOptions {
  session?: string;
  dryRun?: true;
  keep?: true;
  overwrite?: true;
  json?: true;
  /** Do not ask before refs move. */
  yes?: true;
}

/** Files that are named one by one. */
const MAX_NAMED = 40;

/** What undo does not cover, said where it matters. */
export const UNCOVERED =
  "Not covered: files outside the workspace, git's own data without --git, owners and times of files, what a command sent over the network.";

/** The session named, or the latest of this folder. */
export async function findSession(klaus: Klaus, id: string | undefined): Promise<Session> {
  if (id !== undefined) return await klaus.session(id);
  const session = await klaus.latest();
  if (session) return session;
  throw new UsageError(
    'No session has worked in this folder.',
    'Name one with --session ID; klaus sessions lists them.',
  );
}

/**
 * The session named, or the latest of this folder that fits, which is then named: a question asked in between does
 * not stand in the way.
 */
export async function findFittingSession(klaus: Klaus, id: string | undefined, needed: LatestWith): Promise<Session> {
  if (id !== undefined) return await klaus.session(id);
  const latest = await findSession(klaus, undefined);
  const session = (await klaus.latest({ with: needed })) ?? latest;
  const title = (await klaus.store.session(session.id))?.title;
  err.write(`Session ${session.id}${title ? `, ${toPrintable(title)}` : ''}\n`);
  return session;
}

const NEEDED = { undo: 'changes', redo: 'undone', file: 'turns' } as const;

/** `klaus undo`, `redo` and `restore`: puts files back, or shows what stands in the way (exit 1). */
export async function undo(request: RestoreRequest, options: UndoOptions): Promise<number> {
  if (options.keep && options.overwrite) throw new UsageError('--keep and --overwrite exclude each other.');
  await using klaus = await openKlaus();
  if (request.kind === 'undo' && request.step && request.turn !== undefined)
    throw new UsageError('--step and a turn exclude each other.');
  const session = await findFittingSession(klaus, options.session, NEEDED[request.kind]);
  if (request.kind === 'undo' && request.git && !options.dryRun && !options.json) {
    const planned = await session.restore(request, { by: 'cli', dryRun: true });
    if (planned.git.refs.length > 0 && !(await confirmRefs(planned.git, options.yes === true))) return EXIT.failed;
  }
  const result = await session.restore(request, {
    by: 'cli',
    ...(options.dryRun ? { dryRun: true } : {}),
    ...(options.keep ? { conflicts: 'keep' as const } : options.overwrite ? { conflicts: 'overwrite' as const } : {}),
  });
  if (options.json) {
    out.json({ session: session.id, ...result }, 2);
    return result.done || options.dryRun ? EXIT.done : EXIT.failed;
  }
  const say = (text: string): void => out.write(`${text}\n`);
  const what = result.turns.length === 0 ? 'what was restored over' : `turn ${result.turns.join(', ')}`;
  if (!result.done) {
    if (options.dryRun) {
      say(`Would change ${formatNumber(result.changes.length, 'path')} (${what}):`);
      if (result.changes.length > 0) say(listChanges(result.changes));
      printGit(result.git, say);
      if (result.conflicts.length > 0) say(`Changed by somebody else meanwhile:\n${listConflicts(result.conflicts)}`);
      return EXIT.done;
    }
    err.write(
      `Nothing was touched: ${formatNumber(result.conflicts.length, 'path')} changed meanwhile, and not by this session.\n` +
        `${listConflicts(result.conflicts)}\n` +
        '--keep leaves these as they are and puts the rest back; --overwrite puts them back too. Both can be undone.\n',
    );
    return EXIT.failed;
  }
  const verbs = { undo: 'Took back', redo: 'Made again', file: 'Restored' } as const;
  say(`${verbs[request.kind]} ${what}: ${formatNumber(result.changes.length, 'path')}.`);
  if (result.changes.length > 0) say(listChanges(result.changes));
  printGit(result.git, say);
  if (result.kept.length > 0) say(`Left as they are:\n${listConflicts(result.kept)}`);
  if (result.uncovered.length > 0) {
    const names = result.uncovered.slice(0, 10).map((path) => `  ${toPrintable(path)}`);
    say(`Never kept, so not put back: ${formatNumber(result.uncovered.length, 'path')}\n${names.join('\n')}`);
  }
  if (request.kind === 'undo') err.write(`klaus redo makes it again. ${UNCOVERED}\n`);
  return EXIT.done;
}

export function listChanges(changes: readonly TreeChange[]): string {
  const lines = changes.slice(0, MAX_NAMED).map((change) => `  ${describe(change)} ${toPrintable(change.path)}`);
  if (changes.length > MAX_NAMED) lines.push(`  … and ${changes.length - MAX_NAMED} more`);
  return lines.join('\n');
}

/** Shows which refs would move, and asks where a person can answer. */
async function confirmRefs(git: Restored['git'], isSure: boolean): Promise<boolean> {
  const ask = (text: string): void => err.write(`${text}\n`);
  ask('These refs would move:');
  printGit(git, ask);
  if (isSure || !hasKeyboard()) return true;
  ask('Go on? y/n');
  const keyboard = await openKeyboard();
  try {
    if ((await keyboard.key()) === 'y') return true;
    ask('Nothing was changed.');
    return false;
  } finally {
    keyboard.close();
  }
}

/** Refs that move, as git shows them: `- main 1a2b3c4`, `+ main 5d6e7f8`. */
function printGit({ refs, changes }: Restored['git'], say: (text: string) => void): void {
  for (const { repository, name, from, to } of refs.slice(0, MAX_NAMED)) {
    const where = toPrintable(repository === '' ? name : `${repository}: ${name}`);
    if (from !== undefined) say(`- ${where} ${toShortId(from)}`);
    if (to !== undefined) say(`+ ${where} ${toShortId(to)}`);
  }
  if (refs.length > MAX_NAMED) say(`… and ${refs.length - MAX_NAMED} more refs`);
  const folders = new Set(changes.map(({ path }) => path.replace(/(^|\/)\.git(?:\/.*)?$/, '$1.git')));
  if (changes.length > 0)
    say(`Git's own data: ${formatNumber(changes.length, 'path')} in ${toPrintable([...folders].join(', '))}`);
}

function toShortId(value: string): string {
  return /^[0-9a-f]{40,64}$/.test(value) ? value.slice(0, 12) : toPrintable(value);
}

function describe({ kind, before, after }: TreeChange): string {
  const type = after?.type ?? before?.type ?? 'file';
  const what = type === 'file' ? '' : ` ${type}`;
  if (before && after && before.hash === after.hash && before.type === after.type) {
    return `mode ${before.mode.toString(8)} → ${after.mode.toString(8)}`;
  }
  return `${kind}${what}`;
}

function listConflicts(conflicts: readonly Conflict[]): string {
  const lines = conflicts.slice(0, MAX_NAMED).map(({ path, expected, found }) => {
    const why = found === null ? 'is gone' : expected === null ? 'is there now' : 'has other content or another mode';
    return `  ${toPrintable(path)} ${why}`;
  });
  if (conflicts.length > MAX_NAMED) lines.push(`  … and ${conflicts.length - MAX_NAMED} more`);
  return lines.join('\n');
}
