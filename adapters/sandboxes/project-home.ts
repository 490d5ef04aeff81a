import { realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readGitIdentity } from './git-identity.ts';
import { type FoundCache, findUserCaches, toCacheVariables } from './home/user-caches.ts';
import { noteFetched, toProjectFolder } from './home/fetched-folders.ts';
import { saveSessionCaches, openSessionHome, type SessionHome } from './home/session-home.ts';
import type { SandboxOptions } from './sandbox-options.ts';

/** What commands get beside the workspace: the home of their session, and a few files for /etc. */
export interface ProjectHome {
  /** HOME of every command, as commands see it. */
  home: string;
  /** The mounts that make it. */
  mounts: SessionHome['mounts'];
  /** On this machine. */
  source: string;
  /** Caches of the user that the home began with. */
  userCaches: readonly FoundCache[];
  /** What commands are told so that tools work with caches there. */
  variables: Readonly<Record<string, string>>;
  /** File that names what sessions put where checks load it. */
  suspects: string;
  /** Read-only files that stand in for the machine's own in /etc. */
  etc: string;
}

/**
 * Makes `$KLAUS_HOME/cache/<hash of the workspace's path>`, readable by its owner only, and in it the home of the
 * session.
 *
 * @param options.hasUserCaches True where commands see caches of the user at their own places. Default false.
 * @param user Who the commands seem to be; some programs fail for an id without a name.
 */
export async function openProjectHome(
  options: Pick<SandboxOptions, 'home' | 'workspace' | 'session' | 'env'> & { hasUserCaches?: boolean },
  user: { uid: number; gid: number },
): Promise<ProjectHome> {
  const root = toProjectFolder(options.home, options.workspace);
  const etc = join(root, 'etc');
  await mkdir(etc, { recursive: true, mode: 0o700 });
  const userCaches = options.hasUserCaches ? findUserCaches(options.env ?? process.env, options.workspace) : [];
  const opened = openSessionHome({ root, state: options.home, session: options.session, userCaches });
  // The index names owners by their numbers: for another user git would read every file again.
  const checkStat = user.uid === process.getuid?.() ? '' : '[core]\n\tcheckStat = minimal\n';
  const files: Record<string, string> = {
    passwd: `root:x:0:0::/root:/bin/sh\nklaus:x:${user.uid}:${user.gid}::${opened.path}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n`,
    group: `root:x:0:\nklaus:x:${user.gid}:\nnogroup:x:65534:\n`,
    hosts: '127.0.0.1 localhost klaus\n::1 localhost\n',
    // Inside, owners other than the user are all "nobody"; git would refuse such a repository.
    gitconfig: `[safe]\n\tdirectory = *\n${checkStat}${await readGitIdentity(options.env ?? process.env)}`,
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(etc, name), text, { mode: 0o600 })));
  return {
    home: opened.path,
    source: opened.source,
    mounts: opened.mounts,
    userCaches,
    variables: toCacheVariables(options.workspace, userCaches),
    suspects: join(root, 'suspects.json'),
    etc,
  };
}

/**
 * Lets later sessions of a workspace begin with what a session downloaded.
 *
 * @param home Klaus's own state.
 * @param options.workspace Absolute real path.
 * @param options.session One that ran nothing but downloads, and that has ended.
 * @returns How many entries of caches were taken over.
 */
export function saveDownloads(home: string, options: { workspace: string; session: string }): number {
  const root = toProjectFolder(realpathSync.native(home), options.workspace);
  const kept = saveSessionCaches(root, options.session);
  if (kept > 0) noteFetched(root, options.workspace);
  return kept;
}
