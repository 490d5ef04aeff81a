import { Refusal } from '../http/problem.ts';
import type { Context } from '../http/handler.ts';
import type { Identity } from './identity.ts';
import { createSeenFolders, limitWorkspaces } from './seen-folders.ts';

/** What a person works with: the same for one who may see all projects. */
export function limitContext(context: Context, { folders }: Pick<Identity, 'folders'>): Context {
  if (folders === undefined) return context;
  const seen = createSeenFolders(folders, (path) => context.klaus.copies.repositoryOf(path));
  return { ...context, seen, workspaces: limitWorkspaces(context.workspaces, seen) };
}

/** @throws Refusal 403 for a person who may see only some projects. */
export function checkComplete({ seen }: Pick<Context, 'seen'>): void {
  if (seen.isComplete) return;
  throw new Refusal(403, 'forbidden', {
    title: 'This concerns all projects of the server, and you may see only some of them.',
    detail: 'An administrator can do it, or change the setting `server.projects`.',
  });
}

/**
 * The folder that a request names, checked.
 *
 * @param workspace Default: the configured workspace.
 * @returns Undefined for the configured workspace of a sender who may see all projects.
 * @throws KlausError as `AllowedWorkspaces.check`.
 */
export function toFolder(
  { seen, workspaces }: Pick<Context, 'seen' | 'workspaces'>,
  workspace: string | undefined,
  from?: { isLocal: boolean },
): string | undefined {
  if (workspace === undefined && seen.isComplete) return undefined;
  return workspaces.check(workspace ?? workspaces.configured, from);
}
