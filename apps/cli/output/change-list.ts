import type { Conflict, NotRestored, Restored, TreeChange } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';

/** Paths that a list names. */
const MAX_NAMED = 40;

function toList<T>(items: readonly T[], toText: (item: T) => string): string {
  const lines = items.slice(0, MAX_NAMED).map((item) => `  ${toText(item)}`);
  if (items.length > MAX_NAMED) lines.push(`  … and ${items.length - MAX_NAMED} more`);
  return lines.join('\n');
}

export function listChanges(changes: readonly TreeChange[]): string {
  return toList(changes, (change) => `${describeChange(change)} ${toPrintable(change.path)}`);
}

function describeChange({ kind, before, after }: TreeChange): string {
  if (before && after && before.hash === after.hash && before.type === after.type)
    return `mode ${before.mode.toString(8)} → ${after.mode.toString(8)}`;
  const type = after?.type ?? before?.type ?? 'file';
  return type === 'file' ? kind : `${kind} ${type}`;
}

/** Files that changed after the session's change, one per line. */
export function listConflicts(conflicts: readonly Conflict[]): string {
  return toList(conflicts, ({ path, expected, found }) => {
    const why = found === null ? 'is missing' : expected === null ? 'exists now' : 'has other content or another mode';
    return `${toPrintable(path)} ${why}`;
  });
}

/** Refs that move, as git shows them: `- main 1a2b3c4`, `+ main 5d6e7f8`; and other changes of git's data. */
export function listGitChanges({ refs, changes }: Restored['git']): string[] {
  const lines = refs.slice(0, MAX_NAMED).flatMap(({ repository, name, from, to }) => {
    const where = toPrintable(repository === '' ? name : `${repository}: ${name}`);
    return [
      ...(from === undefined ? [] : [`- ${where} ${toShortId(from)}`]),
      ...(to === undefined ? [] : [`+ ${where} ${toShortId(to)}`]),
    ];
  });
  if (refs.length > MAX_NAMED) lines.push(`… and ${refs.length - MAX_NAMED} more refs`);
  const folders = new Set(changes.map(({ path }) => path.replace(/(^|\/)\.git(?:\/.*)?$/, '$1.git')));
  if (changes.length > 0)
    lines.push(`Git data: ${formatNumber(changes.length, 'path')} in ${toPrintable([...folders].join(', '))}`);
  return lines;
}

function toShortId(value: string): string {
  return /^[0-9a-f]{40,64}$/.test(value) ? value.slice(0, 12) : toPrintable(value);
}

/** Folders of tools that a restore leaves as they are, with the commands that rebuild them. */
export function listNotRestored(folders: readonly NotRestored[]): string[] {
  if (folders.length === 0) return [];
  const list = toList(folders, ({ path, command }) => {
    const how =
      command === undefined ? 'the tool that made it rebuilds it' : `rebuild it with \`${toPrintable(command)}\``;
    return `${toPrintable(path)}: ${how}`;
  });
  return [`Not restored, because their content is not stored:\n${list}`];
}
