import type { Copies, NewCopy } from '@klaus/adapters/workspace';
import { KlausError } from '@klaus/core/protocol';
import { resolve } from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import type { OpenOptions } from '../klaus-options.ts';

export interface CopyInput {
  copies: Copies;
  configuration: Configuration;
  given: OpenOptions;
  cwd: string;
  session: string;
}

/**
 * Creates the working copy of a session that does not exist yet.
 *
 * @throws KlausError `copy.refused`, `workspace.missing`, `config` for a set-up command that the user has not confirmed.
 */
export async function openCopy({ copies, configuration, given, cwd, session }: CopyInput): Promise<NewCopy> {
  const { values } = configuration;
  checkSetup(configuration, given);
  return copies.create({
    session,
    from: resolve(cwd, given.workspace ?? values.workspace),
    changes: typeof given.workingCopy === 'object' && given.workingCopy.withChanges === true,
    files: values.worktree.copy,
  });
}

/** The command that prepares a new working copy; undefined if there is none. */
export function setupOf({ values }: Configuration, { workingCopy }: OpenOptions): string | undefined {
  const command = values.worktree.setup.trim();
  return workingCopy && command !== '' ? command : undefined;
}

/** A project file comes with the repository, so the user confirms the command that it names. */
function checkSetup(configuration: Configuration, given: OpenOptions): void {
  const command = setupOf(configuration, given);
  const { source, where } = configuration.sources['worktree.setup'];
  if (command === undefined || source !== 'project file' || given.trustCommand === true) return;
  throw new KlausError('config', `The project file ${where ?? ''} wants to prepare the working copy with: ${command}`, {
    hint: 'If you trust it, repeat this with `--trust-command`. To run nothing, add `--set worktree.setup=`.',
  });
}
