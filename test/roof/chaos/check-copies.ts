import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkingCopy } from '@klaus/sdk';
import { expect } from 'vitest';
import { type ChaosSession, endCopy, MINE, type Scene } from './scene.ts';

const gitIn = ({ roof: { place } }: Scene, ...args: string[]): string =>
  execFileSync('git', args, { cwd: place.workspace, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trimEnd();

export const isCopy = ({ kind }: ChaosSession): boolean => kind === 'copy';

/** The last part of a copy's path and branch. */
const nameOf = ({ id }: ChaosSession): string => id.slice(-8).toLowerCase();

/** Ends all copies that are left, after a comparison of the list with what must be there. */
export async function endAllCopies(scene: Scene, ended: ReadonlySet<string>): Promise<void> {
  const listed = await listCopies(scene);
  const ids = new Set(listed.map(({ session }) => session));
  for (const session of scene.sessions.filter(isCopy)) {
    if (!ended.has(session.id)) expect(ids, `copy of session ${session.number}`).toContain(session.id);
    if (!ids.has(session.id)) continue;
    const { stdout, stderr, code } = await endCopy(scene, session);
    expect(code, `${session.end} of session ${session.number}: ${stdout}${stderr}`).toBe(0);
  }
  for (const { state, isOrphaned } of listed)
    expect({ isOrphaned, ok: ['changed', 'ahead', 'merged'].includes(state) }).toEqual({ isOrphaned: false, ok: true });
  expect(await listCopies(scene)).toEqual([]);
}

async function listCopies({ roof }: Scene): Promise<WorkingCopy[]> {
  const { stdout } = await roof.klaus('copies', '--json');
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as WorkingCopy]));
}

/** The revision of the user's repository that has the work of a session; undefined for its folder. */
function toRevision(scene: Scene, session: ChaosSession): string {
  const branch = `klaus/${nameOf(session)}`;
  if (session.end === 'keep') return branch;
  // The ref names the day of the discard.
  const pattern = `refs/klaus/discarded/*/${nameOf(session)}/${branch}`;
  return session.end === 'discard' ? gitIn(scene, 'for-each-ref', '--format=%(refname)', pattern) : 'main';
}

/** A file of a session, wherever the end of its working copy has put it; undefined if there is none. */
export function readFile(scene: Scene, session: ChaosSession, path: string): string | undefined {
  if (!isCopy(session)) {
    const absolute = join(scene.roof.place.workspace, path);
    return existsSync(absolute) ? readFileSync(absolute, 'utf8') : undefined;
  }
  const revision = toRevision(scene, session);
  const isThere = gitIn(scene, 'ls-tree', '--name-only', revision, '--', path) !== '';
  return isThere ? gitIn(scene, 'show', `${revision}:${path}`) : undefined;
}

/** The repository of the user has what was merged, kept and saved, and nothing else of a working copy. */
export function checkRepository(scene: Scene): void {
  const copies = scene.sessions.filter(isCopy);
  const refs = gitIn(scene, 'for-each-ref', '--format=%(refname)').split('\n');
  const expected = copies.flatMap((session) => {
    if (session.end === 'keep') return [`refs/heads/${toRevision(scene, session)}`];
    return session.end === 'discard' ? [toRevision(scene, session)] : [];
  });
  const ofCopies = refs.filter((ref) => /^refs\/(?:heads|klaus\/(?:copies|discarded|saved))\//.test(ref));
  expect(ofCopies.toSorted()).toEqual(['refs/heads/main', ...expected].toSorted());
  expect(gitIn(scene, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  expect(gitIn(scene, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  // What was merged is checked out, and what the user has not committed is as it was.
  expect(gitIn(scene, 'status', '--porcelain', '--untracked-files=no')).toBe('');
  expect(readFileSync(join(scene.roof.place.workspace, MINE), 'utf8')).toBe('mine\n');
  gitIn(scene, 'fsck', '--no-dangling');
}

/** Files of the state folder and of the repository that a killed process has left. */
export function findLeftFiles({ roof: { place }, temporary }: Scene): string[] {
  const copies = join(place.home, 'copies');
  const all = (folder: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path))
      : [];
  const ofCopies = all(copies).filter((path) => path.slice(copies.length + 1).includes('/'));
  // A session, a server and the state folder keep their lock files.
  const locks = [...all(join(place.workspace, '.git')), ...all(join(place.home, 'locks'))].filter(
    (path) =>
      /\.(?:lock|new|tmp)$|\/tmp_(?:obj|pack)_|\/copies-[^/]*$/.test(path) && !/\/[0-9A-Z]{26}\.lock$/.test(path),
  );
  return [...ofCopies, ...locks, ...all(temporary)];
}

/** Mounts of this machine in a folder. */
export function findMounts(root: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(root));
}
