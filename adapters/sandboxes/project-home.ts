import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders that a project keeps between commands: its home inside the sandbox, and a few files for /etc. */
export interface ProjectHome {
  /** HOME of every command, writable: package caches survive here. */
  home: string;
  /** Read-only files that stand in for the machine's own in /etc. */
  etc: string;
}

/**
 * Makes `$KLAUS_HOME/cache/<hash of the workspace's path>`, readable by its owner only.
 *
 * @param user Who the commands seem to be; some programs fail for an id without a name.
 */
export async function openProjectHome(
  options: { home: string; workspace: string },
  user: { uid: number; gid: number },
): Promise<ProjectHome> {
  const hash = createHash('sha256').update(options.workspace).digest('hex').slice(0, 16);
  const root = join(options.home, 'cache', hash);
  const project = { home: join(root, 'home'), etc: join(root, 'etc') };
  await mkdir(project.home, { recursive: true, mode: 0o700 });
  await mkdir(project.etc, { recursive: true, mode: 0o700 });
  const files: Record<string, string> = {
    passwd: `root:x:0:0::/root:/bin/sh\nklaus:x:${user.uid}:${user.gid}::${project.home}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n`,
    group: `root:x:0:\nklaus:x:${user.gid}:\nnogroup:x:65534:\n`,
    hosts: '127.0.0.1 localhost klaus\n::1 localhost\n',
    // Inside, owners other than the user are all "nobody"; git would refuse such a repository.
    gitconfig: '[safe]\n\tdirectory = *\n',
  };
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(join(project.etc, name), text, { mode: 0o600 })),
  );
  return project;
}
