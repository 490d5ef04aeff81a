import type { WorkspaceGit } from '@klaus/sdk';
import type { Context, Parsed, PartialHandlers } from '../http/handler.ts';
import type { RouteOf } from '../contract/index.ts';
import { openWorkspace } from './files.ts';
import { findSession } from './sessions.ts';

/** The repository of the workspace that a request names; undefined without one. */
async function openGit(
  context: Context,
  query: Pick<Parsed<RouteOf<'gitDiff'>>['query'], 'session' | 'workspace'>,
): Promise<WorkspaceGit | undefined> {
  const files = await openWorkspace(context, query);
  context.workspaces.checkKnown(files.root);
  return files.git();
}

export const gitHandlers = {
  async gitDiff({ query }, context) {
    const git = await openGit(context, query);
    return { diff: git ? await git.diff({ staged: query.staged }) : null };
  },

  async gitCommits({ query }, context) {
    const git = await openGit(context, query);
    return { commits: git ? await git.commits({ limit: query.limit }) : null };
  },

  async gitCommit({ params, query }, context) {
    const git = await openGit(context, query);
    return { commit: git ? await git.commit(params.hash) : null };
  },

  async hostAccess({ params, query }, context) {
    const { id } = await findSession(context, params.id);
    return { allowed: await context.klaus.handle(id).reaches(query) };
  },
} satisfies PartialHandlers;
