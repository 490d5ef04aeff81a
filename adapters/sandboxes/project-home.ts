import { realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readGitFiles } from './git-settings.ts';
import { type FoundCache, findUserCaches, toCacheVariables } from './home/user-caches.ts';
import { noteFetched, toProjectFolder } from './home/fetched-folders.ts';
import { saveSessionCaches, openSessionHome, type SessionHome } from './home/session-home.ts';
import type { SandboxOptions } from './sandbox-options.ts';

/** The folders that commands get in addition to the workspace: the home of their session, and files for /etc. */
export interface ProjectHome extends SessionHome {
  /** Caches of the user with which the home was created. */
  userCaches: readonly FoundCache[];
  variables: Readonly<Record<string, string>>;
  /** File with the paths that sessions created where checks load code. */
  suspects: string;
  /** Files that replace those of the machine in /etc. */
  etc: string;
}

/**
 * Creates `$KLAUS_HOME/cache/<hash of the workspace's path>`, readable only by its owner, with the home of the session.
 *
 * @param options.hasUserCaches True if commands see the user's caches at their original paths. Default false.
 * @param user Ids of the user in the sandbox. Some programs fail for an id without a name.
 */
export async function openProjectHome(
  options: Pick<SandboxOptions, 'home' | 'workspace' | 'session' | 'env'> & { hasUserCaches?: boolean },
  user: { uid: number; gid: number },
): Promise<ProjectHome> {
  const root = toProjectFolder(options.home, options.workspace);
  // A program, which runs while the folders are made.
  const git = readGitFiles(options.env ?? process.env, options.workspace);
  git.catch(() => {});
  const etc = join(root, 'etc');
  await mkdir(etc, { recursive: true, mode: 0o700 });
  const userCaches = options.hasUserCaches ? findUserCaches(options.env ?? process.env, options.workspace) : [];
  const opened = openSessionHome({ root, state: options.home, session: options.session, userCaches });
  // The index contains user ids: for another user git would read every file again.
  const checkStat = user.uid === process.getuid?.() ? '' : '[core]\n\tcheckStat = minimal\n';
  const { gitconfig, ...lists } = await git;
  const files: Record<string, string> = {
    passwd: `root:x:0:0::/root:/bin/sh\nklaus:x:${user.uid}:${user.gid}::${opened.home}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n`,
    group: `root:x:0:\nklaus:x:${user.gid}:\nnogroup:x:65534:\n`,
    hosts: '127.0.0.1 localhost klaus\n::1 localhost\n',
    // In the sandbox other users appear as "nobody", and git would reject such a repository.
    gitconfig: `[safe]\n\tdirectory = *\n${checkStat}${gitconfig}`,
    ...lists,
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(etc, name), text, { mode: 0o600 })));
  return {
    ...opened,
    userCaches,
    variables: toCacheVariables(options.workspace, userCaches),
    suspects: join(root, 'suspects.json'),
    etc,
  };
}

/**
 * Stores the downloads of a session for later sessions of the workspace.
 *
 * @param options.session A session that has ended and that ran only downloads.
 * @returns Number of stored cache entries.
 */
export function saveDownloads(home: string, options: { workspace: string; session: string }): number {
  const root = toProjectFolder(realpathSync.native(home), options.workspace);
  const count = saveSessionCaches(root, options.session);
  if (count > 0) noteFetched(root, options.workspace);
  return count;
}
