import type { Restored, RestoreRequest, Session } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { quoteShellWord } from '@klaus/sdk/quote-shell-word';
import { formatNumber } from '@klaus/sdk/transcript';
import type { Command } from 'commander';
import { openKlaus } from '../../client/open-klaus.ts';
import { listChanges, listConflicts, listGitChanges, listNotRestored } from '../../output/change-list.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import { EXIT, isKlausError } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { confirm, hasKeyboard } from '../../prompt/keyboard.ts';
import { findFittingSession, findOther } from '../fitting-session.ts';

export function addRestoreOptions(command: Command): Command {
  return command
    .option('--session <id>', 'the session (default: the latest of this folder)')
    .option('--dry-run', 'only print what would be done')
    .option('--keep', 'leave files unchanged that others have changed since, and restore the rest')
    .option('--overwrite', 'also restore files that others have changed since')
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON document');
}

const NEEDED = { undo: 'changes', redo: 'undone', file: 'turns' } as const;
const VERBS = { undo: 'Undone:', redo: 'Redone:', file: 'Restored:' } as const;

/**
 * Undoes, redoes or restores changes of files, or lists the conflicts. Returns the exit code: 1 for conflicts, and for a
 * session that has nothing to undo. It does not reach back into an older session: it names it.
 */
export async function restoreFiles(request: RestoreRequest, options: Options): Promise<number> {
  const { keep, overwrite, json } = options;
  if (keep && overwrite) throw new UsageError('--keep and --overwrite exclude each other.');
  await using klaus = await openKlaus();
  if (request.kind === 'undo' && request.step && request.turn !== undefined)
    throw new UsageError('--step and a turn exclude each other.');
  const session = await findFittingSession(klaus, options.session, NEEDED[request.kind]);
  try {
    return await restoreSession(session, request, options);
  } catch (error) {
    if (options.session !== undefined || !isKlausError(error) || error.code !== 'undo.nothing') throw error;
    const command = (id: string) => `${toCommand(request)} --session ${id}`;
    const other = await findOther(klaus, { not: session, with: NEEDED[request.kind], command });
    const nothing = {
      session: session.id,
      done: false,
      turns: [],
      changes: [],
      conflicts: [],
      notRestored: [],
      other: other?.id ?? null,
    };
    if (json) out.json(nothing, 2);
    else err.write(`${[error.message, error.hint, other?.text].filter((line) => line !== undefined).join('\n')}\n`);
    return EXIT.failed;
  }
}

/** The command of a request, without its options that do not choose a state. */
function toCommand(request: RestoreRequest): string {
  if (request.kind !== 'file') return `klaus ${request.kind}${request.kind === 'undo' && request.git ? ' --git' : ''}`;
  const { path, turn, side } = request;
  return `klaus restore ${quoteShellWord(path)} --turn ${turn}${side === 'after' ? ' --after' : ''}`;
}

async function restoreSession(session: Session, request: RestoreRequest, options: Options): Promise<number> {
  const { dryRun, keep, overwrite, json } = options;
  const movesRefs = request.kind === 'undo' && request.git && !dryRun && !json;
  if (movesRefs && !(await confirmRefs(session, request, options.yes === true))) return EXIT.failed;
  const unclear = await askUnclear(session, request, options);
  const restored = await session.restore(request, {
    by: 'cli',
    ...(dryRun ? { dryRun: true } : {}),
    ...(keep ? { conflicts: 'keep' } : overwrite ? { conflicts: 'overwrite' } : {}),
    ...(unclear ? { unclear } : {}),
  });
  const isOpen = unclear === undefined && !keep && restored.unclear.length > 0;
  if (json) out.json({ session: session.id, ...restored }, 2);
  else if (restored.done) {
    out.write(describe(restored, VERBS[request.kind]));
    if (request.kind === 'undo') err.write(`\`klaus redo\` applies it again. ${NOT_COVERED}\n`);
  } else if (dryRun) out.write(describe(restored, 'Would change'));
  else err.write(overwrite ? describeFixed(restored) : describeConflicts(restored));
  if (dryRun) return EXIT.done;
  return restored.done && !isOpen ? EXIT.done : EXIT.failed;
}

/** Asks about files that the session or others may have changed, if a user can answer and has not done so. */
async function askUnclear(
  session: Session,
  request: RestoreRequest,
  { dryRun, keep, overwrite, json }: Options,
): Promise<'keep' | 'restore' | undefined> {
  if (request.kind !== 'undo' || dryRun || keep || overwrite || json || !hasKeyboard()) return undefined;
  const { unclear } = await session.restore(request, { by: 'cli', dryRun: true });
  if (unclear.length === 0) return undefined;
  err.write(`${UNCLEAR}\n${listPaths(unclear)}\n`);
  return (await confirm('Restore them too?', '')) ? 'restore' : 'keep';
}

const UNCLEAR = 'A command of this session may have changed these files, or you, or another session:';
const MAX_LISTED = 20;

function listPaths(paths: readonly string[]): string {
  const names = paths.slice(0, MAX_LISTED).map((path) => `  ${toPrintable(path)}`);
  if (paths.length > MAX_LISTED) names.push(`  … and ${paths.length - MAX_LISTED} more`);
  return names.join('\n');
}

/** Lists what was left because others changed it, or may have. */
function describeOthers({ done, unclear, others }: Restored): string[] {
  const lines = unclear.length > 0 ? [`Left, because it is unclear who changed them:\n${listPaths(unclear)}`] : [];
  const certain = others.filter(({ by }) => by !== 'unclear');
  const names = certain.map(({ path, session }) => (session ? `${path} (session ${session})` : path));
  if (names.length > 0) lines.push(`Left, because others changed them:\n${listPaths([...new Set(names)])}`);
  const before = done ? '`klaus redo`, then ' : '';
  if (unclear.length > 0) lines.push(`${before}\`klaus undo --overwrite\` restores the unclear ones too.`);
  return lines;
}

const NOT_COVERED =
  'Not covered: files outside the workspace, git data without --git, owners and times of files, data that a command sent over the network.';

function describe(restored: Restored, verb: string): string {
  const { turns, changes, git } = restored;
  const what = turns.length === 0 ? 'the last restore' : `turn ${turns.join(', ')}`;
  const lines = [`${verb} ${what}, ${formatNumber(changes.length, 'path')}.`];
  const isKept = restored.done && restored.kept.length > 0;
  const isLeft = isKept || restored.notRestored.length > 0;
  if (changes.length === 0 && git.changes.length === 0 && !isLeft) lines.push('The files had this content already.');
  if (changes.length > 0) lines.push(listChanges(changes));
  lines.push(...describeOthers(restored));
  lines.push(...listGitChanges(git));
  if (!restored.done) {
    const { conflicts } = restored;
    if (conflicts.length > 0) lines.push(`Changed by others since:\n${listConflicts(conflicts)}`);
    lines.push(...listNotRestored(restored.notRestored), ...describeUncovered(restored.uncovered ?? [], 'cannot be'));
    return `${lines.join('\n')}\n`;
  }
  const { kept, uncovered } = restored;
  if (git.left.length > 0) {
    const names = git.left
      .slice(0, 10)
      .map(({ repository, name }) => (repository === '' ? name : `${repository}: ${name}`));
    const more = git.left.length > names.length ? ` and ${git.left.length - names.length} more` : '';
    lines.push(`Git refs were left: ${toPrintable(names.join(', '))}${more}. \`klaus undo --git\` restores them too.`);
  }
  const left = kept.filter(({ path }) => !restored.unclear.includes(path));
  if (left.length > 0)
    lines.push(
      `Left unchanged:\n${listConflicts(left)}`,
      'To restore them too: `klaus redo`, then `klaus undo --overwrite`.',
    );
  lines.push(...listNotRestored(restored.notRestored), ...describeUncovered(uncovered, 'not'));
  return `${lines.join('\n')}\n`;
}

function describeUncovered(paths: readonly string[], verb: string): string[] {
  if (paths.length === 0) return [];
  const names = paths.slice(0, 10).map((path) => `\n  ${toPrintable(path)}`);
  return [`Not stored, so ${verb} restored: ${formatNumber(paths.length, 'path')}${names.join('')}`];
}

function describeConflicts({ conflicts, unclear }: Extract<Restored, { done: false }>): string {
  const isUnclear = conflicts.every(({ path }) => unclear.includes(path));
  const why = isUnclear ? 'changed, and it is unclear by whom' : 'changed since, and not by this session';
  return (
    `No file was changed: ${formatNumber(conflicts.length, 'path')} ${why}.\n` +
    `${listConflicts(conflicts)}\n` +
    '`--keep` leaves them unchanged and restores the rest; `--overwrite` restores them too. Both can be undone.\n'
  );
}

/** The conflicts that remain although files may be overwritten. */
function describeFixed({ conflicts }: Extract<Restored, { done: false }>): string {
  return (
    `No file was changed: ${formatNumber(conflicts.length, 'path')} cannot be overwritten, because a mount, a link, a special file or a folder with other content is there.\n` +
    `${listConflicts(conflicts)}\n` +
    'Remove it, or pass `--keep`, which leaves these paths unchanged and restores the rest.\n'
  );
}

/** Prints which refs would move, and asks if a user can answer. */
async function confirmRefs(session: Session, request: RestoreRequest, isSure: boolean): Promise<boolean> {
  const { git } = await session.restore(request, { by: 'cli', dryRun: true });
  if (git.refs.length === 0) return true;
  err.write(`These refs would move:\n${listGitChanges(git).join('\n')}\n`);
  if (isSure || !hasKeyboard() || (await confirm('Continue?', ''))) return true;
  err.write('Nothing was changed.\n');
  return false;
}
