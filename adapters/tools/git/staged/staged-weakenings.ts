import {
  findEnvironmentChanges,
  findWeakenings,
  isCheckFile,
  isEnvironmentFile,
  readChecks,
  type ChangedFile,
} from '@klaus/core/policy';
import type { Evidence } from '@klaus/core/protocol';
import type { GitContext } from '../git.ts';
import { readBlobs } from '../read-blobs.ts';
import type { Repository } from '../repository.ts';
import type { StagedTree } from '../staging.ts';

const MAX_FILES = 2_000;

/**
 * How a change weakens the checks that judge it: fewer tests, silenced complaints, other scripts and settings of runners.
 *
 * @param options.commands The checks.
 */
export async function findStagedWeakenings(
  context: GitContext,
  { repository, staged, commands }: { repository: Repository; staged: StagedTree; commands: readonly string[] },
): Promise<string[]> {
  const rows = [...staged.files, ...staged.deleted].filter(({ path }) => isCheckFile(path) || isEnvironmentFile(path));
  if (rows.length > MAX_FILES) return [`${rows.length} files on which checks depend were changed`];
  const blobs = [...new Set(rows.flatMap(({ blob, before }) => [blob, before].filter((id) => id !== undefined)))];
  const texts = new Map<string, string>();
  for await (const { blob, text } of readBlobs(context, { repository, blobs }))
    texts.set(blob, `${texts.get(blob) ?? ''}${text}`);
  const toText = (blob: string | undefined): string | null => (blob === undefined ? null : (texts.get(blob) ?? null));
  const files = rows.map(({ path, blob, before }): ChangedFile => ({
    ...{ path, before: toText(before), after: toText(blob) },
    ...{ isCreated: before === undefined, isDeleted: blob === undefined },
  }));
  const found = [...(await findWeakenings(files)), ...findEnvironmentChanges(files)];
  const scripts = findScripts(files);
  const checked = commands.map((command) => toCheckRow(command, scripts));
  return [...new Set(found.filter(({ weakens }) => checked.some(weakens)).map(({ reason }) => reason))];
}

/** A check before it runs. Without a known kind it can be any check. */
export function toCheckRow(command: string, scripts?: Readonly<Record<string, string>>): Evidence {
  const found = readChecks(command, { scriptsOf: () => scripts });
  return { call: '', command, exitCode: 0, ...(found ? { checks: found.checks } : {}) };
}

function findScripts(files: readonly ChangedFile[]): Record<string, string> | undefined {
  const text = files.find(({ path }) => path === 'package.json')?.after;
  try {
    return (JSON.parse(text ?? '{}') as { scripts?: Record<string, string> }).scripts;
  } catch {
    return undefined;
  }
}
