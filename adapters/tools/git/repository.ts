import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';

/** Where a workspace's Git data is. All absolute. */
export interface Repository {
  /** Top folder of the working tree: the workspace or a folder above it. */
  top: string;
  gitDir: string;
  /** Differs from `gitDir` in a worktree. */
  commonDir: string;
  /** True when the Git data lies in the workspace, where an agent can write it. */
  inside: boolean;
}

/**
 * Finds the repository of a workspace without running Git. A `.git` file in the workspace may have been
 * planted, so what it names outside is believed only when that place names the workspace in turn, which
 * nobody inside can bring about.
 *
 * @throws KlausError `tool.failed` when there is none.
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
      return { top: folder, gitDir: join(folder, '.git'), commonDir: join(folder, '.git'), inside: false };
    }
    if (found?.isFile()) return followGitFile(folder, readFileSync(join(folder, '.git'), 'utf8').slice(0, 4_096), root);
    if (folder === dirname(folder)) throw noRepository();
  }
}

/**
 * The repository of a workspace that is its own: commits and branches change data that the workspace holds.
 *
 * @throws KlausError `tool.failed` when there is none, or when its data lies outside the workspace.
 */
export async function findOwnRepository(context: Pick<ToolContext, 'workspace'>): Promise<Repository> {
  const repository = await findRepository(context);
  if (repository.inside) return repository;
  throw new KlausError(
    'tool.failed',
    `The Git data of this workspace lies outside it (${repository.gitDir}), where no tool writes.`,
    { hint: `Klaus can commit when it works in the folder that has it; here git_checkpoint keeps the state.` },
  );
}

async function statOwn(workspace: ToolContext['workspace']): Promise<'file' | 'directory' | 'other' | undefined> {
  try {
    return (await workspace.stat('.git'))?.kind;
  } catch (error) {
    if (isKlausError(error) && error.code === 'workspace.outside') {
      throw new KlausError(
        'tool.failed',
        'The .git of this workspace is a link that leads out of it; it is not followed.',
      );
    }
    throw error;
  }
}

/** A `.git` file: a linked worktree or a submodule. */
function followGitFile(top: string, text: string, root: string): Repository {
  const named = /^gitdir: (.+)$/m.exec(text)?.[1];
  const refused = new KlausError(
    'tool.failed',
    `The file ${join(top, '.git')} names no Git folder that belongs to this working tree.`,
  );
  if (named === undefined) throw refused;
  try {
    const gitDir = realpathSync.native(resolve(top, named.trim()));
    // A Git folder in the workspace is the agent's to write: it names whatever it likes and is believed nothing.
    if (`${gitDir}/`.startsWith(`${root}/`)) return { top, gitDir, commonDir: gitDir, inside: true };
    if (!pointsBack(gitDir, top)) throw refused;
    const common = join(gitDir, 'commondir');
    const commonDir = existsSync(common)
      ? realpathSync.native(resolve(gitDir, readFileSync(common, 'utf8').trim()))
      : gitDir;
    return { top, gitDir, commonDir, inside: false };
  } catch (error) {
    throw error === refused ? refused : new KlausError('tool.failed', refused.message, { cause: error });
  }
}

function pointsBack(gitDir: string, top: string): boolean {
  const back = join(gitDir, 'gitdir');
  if (existsSync(back)) return resolve(gitDir, readFileSync(back, 'utf8').trim()) === join(top, '.git');
  const worktree = /^\s*worktree\s*=\s*(.+)$/m.exec(readFileSync(join(gitDir, 'config'), 'utf8'))?.[1];
  return worktree !== undefined && resolve(gitDir, worktree.trim().replaceAll('"', '')) === top;
}

export function noRepository(): KlausError {
  return new KlausError('tool.failed', 'The workspace is not in a Git repository.', {
    hint: 'Run git init in it, or do without Git.',
  });
}
