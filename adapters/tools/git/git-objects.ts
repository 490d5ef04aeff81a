import { createHash } from 'node:crypto';
import { runGit, type GitContext } from './git.ts';
import type { Repository } from './repository.ts';

/** A Git object whose id matches its content. */
export interface GitObject {
  type: string;
  content: Buffer;
}

/** Milliseconds. An agent may have replaced an object by a pipe, which must not block the run. */
const TIMEOUT = 20_000;

/** Reads the objects named on stdin, with up to `$1` ancestors. */
const READ = `
set -u
names=$(cat)
{
  printf '%s\\n' "$names"
  if [ "$1" -gt 0 ]; then printf '%s\\n' "$names" | git rev-list --ignore-missing --max-count="$1" --stdin; fi
} | git cat-file --batch | base64
`;

/**
 * Reads objects in the sandbox and verifies that the hash of their content is their id, so that neither the repository
 * nor the program can forge one. Missing and truncated objects are left out.
 *
 * @param names Object ids, or expressions such as `<id>^{tree}`, without line breaks.
 * @param options.history Most ancestors that are read too. Default 0.
 * @returns By object id.
 * @source https://git-scm.com/docs/git-cat-file#_batch_output
 */
export async function readObjects(
  context: GitContext,
  { repository, names, history = 0 }: { repository: Repository; names: readonly string[]; history?: number },
): Promise<Map<string, GitObject>> {
  const result = await runGit(context, ['/bin/sh', '-c', READ, 'klaus', String(history)], {
    repository,
    stdin: names.join('\n'),
    env: { GIT_NO_REPLACE_OBJECTS: '1', GIT_NO_LAZY_FETCH: '1' },
    timeoutMs: TIMEOUT,
  });
  return toObjects(Buffer.from(result.stdout, 'base64'));
}

/** The objects in the output of `git cat-file --batch` whose hash is their id. */
export function toObjects(bytes: Buffer): Map<string, GitObject> {
  const objects = new Map<string, GitObject>();
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\n', at);
    if (end < 0) break;
    const [, id, type, length] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(bytes.toString('latin1', at, end)) ?? [];
    at = end + 1;
    if (id === undefined) continue;
    const content = bytes.subarray(at, at + Number(length));
    at += Number(length) + 1;
    if (toObjectId(type!, content, id.length) === id) objects.set(id, { type: type!, content });
  }
  return objects;
}

/** @param length Length of the ids of the repository: 40 for SHA-1, 64 for SHA-256. */
export function toObjectId(type: string, content: Uint8Array, length: number): string {
  const hash = createHash(length === 40 ? 'sha1' : 'sha256');
  return hash.update(`${type} ${content.length}\0`).update(content).digest('hex');
}

export interface TreeItem {
  /** In octal, such as `100644`. */
  mode: string;
  id: string;
}

/** The entries of a directory, by name. @source https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
export function toTreeItems({ content }: GitObject, length: number): Map<string, TreeItem> {
  const items = new Map<string, TreeItem>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at);
    const end = content.indexOf(0, space);
    if (space < 0 || end < 0) break;
    const id = content.toString('hex', end + 1, end + 1 + length / 2);
    items.set(content.toString('utf8', space + 1, end), { mode: content.toString('latin1', at, space), id });
    at = end + 1 + length / 2;
  }
  return items;
}

export function readHeader({ content }: GitObject, name: 'tree' | 'parent' | 'object'): string[] {
  const header = content.toString('latin1').split('\n\n', 1)[0]!;
  return [...header.matchAll(/^(\w+) ([0-9a-f]{40,64})$/gm)].flatMap(([, key, id]) => (key === name ? [id!] : []));
}
