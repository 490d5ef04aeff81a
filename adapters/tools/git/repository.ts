import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readForeignFileSync } from '@klaus/adapters/system';
import { isKlausError, quoteShellWord, type KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';

/** The Git data of a workspace. All paths are absolute. */
export interface Repository {
  /** Top folder of the working tree: the workspace or a folder above it. */
  top: string;
  gitDir: string;
  /** Differs from `gitDir` in a worktree. */
  commonDir: string;
  /** True if the Git data is in the workspace, where an agent can write it. */
  inside: boolean;
  /**
   * True for a linked worktree or a submodule that is the workspace: its data is outside and refers back to it. The
   * sandbox lets commands write it, except for configuration and hooks.
   */
  linked?: boolean;
}

/**
 * Finds the repository of a workspace without running Git. An agent may have created a `.git` file, so Git data outside
 * the workspace is used only if it refers back to the workspace, which an agent cannot forge.
 *
 * @throws KlausError `tool.failed` if there is none.
 */
export async function findRepository({ workspace }: Pick<ToolContext, 'workspace'>): Promise<Repository> {
  const root = workspace.root;
  const own = await statOwn(workspace);
  if (own === 'directory') {
    const gitDir = (await workspace.resolve('.git')).absolute;
    return { top: root, gitDir, commonDir: gitDir, inside: true };
  }
  if (own === 'file')
    return followGitFile(root, Buffer.from(await workspace.read('.git', { maxBytes: 4_096 })).toString(), root);
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    const found = lstatSync(join(folder, '.git'), { throwIfNoEntry: false });
    if (found?.isDirectory() && existsSync(join(folder, '.git/HEAD'))) {
      const gitDir = join(folder, '.git');
      return { top: folder, gitDir, commonDir: gitDir, inside: false };
    }
    if (found?.isFile())
      return followGitFile(folder, readForeignFileSync(join(folder, '.git'), { max: 4_096, part: 'head' }).text, root);
    if (folder === dirname(folder)) throw noRepository();
  }
}

/**
 * Finds a repository whose Git data commits and branches may change: it is in the workspace, or belongs to it alone.
 *
 * @throws KlausError `tool.failed` if there is none, or if the workspace is only a part of it.
 */
export async function findOwnRepository(context: Pick<ToolContext, 'workspace'>): Promise<Repository> {
  const repository = await findRepository(context);
  if (repository.inside || repository.linked) return repository;
  throw toolFailed(`The workspace is a part of the repository ${repository.top}, whose Git data is outside of it.`, {
    hint: `To commit, run Klaus in ${repository.top}. To save the state here, use git_checkpoint.`,
  });
}

async function statOwn(workspace: ToolContext['workspace']): Promise<'file' | 'directory' | 'other' | undefined> {
  try {
    return (await workspace.stat('.git'))?.kind;
  } catch (error) {
    if (isKlausError(error) && error.code === 'workspace.outside') {
      throw toolFailed('The .git of this workspace is a link out of it, which is not followed.');
    }
    throw error;
  }
}

/** A `.git` file: a linked worktree or a submodule. */
function followGitFile(top: string, text: string, root: string): Repository {
  const named = /^gitdir: (.+)$/m.exec(text)?.[1];
  const refused = toolFailed(`The file ${join(top, '.git')} does not refer to Git data of this working tree.`);
  if (named === undefined) throw refused;
  try {
    const gitDir = realpathSync.native(resolve(top, named.trim()));
    // An agent can write Git data in the workspace, so its references to other folders are not followed.
    if (`${gitDir}/`.startsWith(`${root}/`)) return { top, gitDir, commonDir: gitDir, inside: true };
    if (!pointsBack(gitDir, top)) throw toUnboundError(gitDir, top);
    const common = join(gitDir, 'commondir');
    const commonDir = existsSync(common)
      ? realpathSync.native(resolve(gitDir, readForeignFileSync(common).text.trim()))
      : gitDir;
    return { top, gitDir, commonDir, inside: false, linked: top === root };
  } catch (error) {
    throw isKlausError(error) ? error : toolFailed(refused.message, { cause: error });
  }
}

/** Git data that does not name its working tree, as after `git init --separate-git-dir`. An agent can make such a file. */
function toUnboundError(gitDir: string, top: string): KlausError {
  return toolFailed(
    `${join(top, '.git')} refers to ${gitDir}, which does not name ${top} as its working tree: it is not used.`,
    {
      hint: `Ask the user to run this once: git --git-dir=${quoteShellWord(gitDir)} config core.worktree ${quoteShellWord(top)}`,
    },
  );
}

function pointsBack(gitDir: string, top: string): boolean {
  const back = join(gitDir, 'gitdir');
  if (existsSync(back)) return resolve(gitDir, readForeignFileSync(back).text.trim()) === join(top, '.git');
  const worktree = /^\s*worktree\s*=\s*(.+)$/m.exec(readForeignFileSync(join(gitDir, 'config')).text)?.[1];
  return worktree !== undefined && resolve(gitDir, worktree.trim().replaceAll('"', '')) === top;
}

export function noRepository(): KlausError {
  return toolFailed('The workspace is not in a Git repository.', {
    hint: 'Run git init, or continue without Git.',
  });
}
