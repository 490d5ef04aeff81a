import type { Restored, RestoreRequest, Session } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { quoteShellWord } from '@klaus/sdk/quote-shell-word';
import { formatNumber } from '@klaus/sdk/transcript';
import type { Command } from 'commander';
import { openKlaus } from '../../client/open-klaus.ts';
import { listChanges, listConflicts, listGitChanges } from '../../output/change-list.ts';
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
      other: other?.id ?? null,
    };
    if (json) out.json(nothing, 2);
    else err.write(`${error.message}\n${other ? `${other.text}\n` : ''}`);
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
  const restored = await session.restore(request, {
    by: 'cli',
    ...(dryRun ? { dryRun: true } : {}),
    ...(keep ? { conflicts: 'keep' } : overwrite ? { conflicts: 'overwrite' } : {}),
  });
  if (json) out.json({ session: session.id, ...restored }, 2);
  else if (restored.done) {
    out.write(describe(restored, VERBS[request.kind]));
    if (request.kind === 'undo') err.write(`\`klaus redo\` applies it again. ${NOT_COVERED}\n`);
  } else if (dryRun) out.write(describe(restored, 'Would change'));
  else err.write(describeConflicts(restored));
  return restored.done || dryRun ? EXIT.done : EXIT.failed;
}

const NOT_COVERED =
  'Not covered: files outside the workspace, git data without --git, owners and times of files, data that a command sent over the network.';

function describe(restored: Restored, verb: string): string {
  const { turns, changes, git } = restored;
  const what = turns.length === 0 ? 'the last restore' : `turn ${turns.join(', ')}`;
  const lines = [`${verb} ${what}, ${formatNumber(changes.length, 'path')}.`];
  if (changes.length === 0 && git.changes.length === 0) lines.push('The files had this content already.');
  if (changes.length > 0) lines.push(listChanges(changes));
  lines.push(...listGitChanges(git));
  if (!restored.done) {
    const { conflicts } = restored;
    if (conflicts.length > 0) lines.push(`Changed by others since:\n${listConflicts(conflicts)}`);
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
  if (kept.length > 0) lines.push(`Left unchanged:\n${listConflicts(kept)}`);
  if (uncovered.length > 0) {
    const names = uncovered.slice(0, 10).map((path) => `\n  ${toPrintable(path)}`);
    lines.push(`Not stored, so not restored: ${formatNumber(uncovered.length, 'path')}${names.join('')}`);
  }
  return `${lines.join('\n')}\n`;
}

function describeConflicts({ conflicts }: Extract<Restored, { done: false }>): string {
  return (
    `No file was changed: ${formatNumber(conflicts.length, 'path')} changed since, and not by this session.\n` +
    `${listConflicts(conflicts)}\n` +
    '`--keep` leaves them unchanged and restores the rest; `--overwrite` restores them too. Both can be undone.\n'
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
