import { accessSync, constants, lstatSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listSnapshotStores } from '@klaus/adapters/workspace';
import type { StoreQueries } from '@klaus/core/agent';
import { orUndefined } from '../or-undefined.ts';
import { formatBytes } from '../transcript/format.ts';
import { type Finding, ok, toFailure, warn } from './finding.ts';

const MIB = 1_024 * 1_024;
/** Bytes of free space below which a run fails soon, and below which it fails at once. */
const LOW_SPACE = 500 * MIB;
const NO_SPACE = 20 * MIB;

/**
 * Checks the state folder, its database with the sessions that need attention, the free disk space, and what the snapshots
 * take.
 *
 * @param workspace Absolute path of the workspace, if it is known.
 */
export async function checkState(home: string, workspace?: string): Promise<Finding[]> {
  const folder = checkHome(home);
  // The database would only repeat this problem less clearly.
  const database = folder.status === 'fail' ? [] : await checkDatabase(home);
  return [folder, ...database, ...checkSpace(home), ...checkSnapshots(home, workspace)];
}

/** The space that the snapshots of this workspace and of all take. */
function checkSnapshots(home: string, workspace: string | undefined): Finding[] {
  const stores = orUndefined(() => listSnapshotStores(join(home, 'snapshots'))) ?? [];
  if (stores.length === 0) return [];
  const root = workspace === undefined ? undefined : orUndefined(() => realpathSync.native(workspace));
  const bytes = stores.reduce((sum, store) => sum + store.bytes, 0);
  const own = stores.find((store) => store.root === root)?.bytes ?? 0;
  const [largest] = stores.toSorted((a, b) => b.bytes - a.bytes);
  const all = `${formatBytes(bytes)} for ${stores.length === 1 ? '1 workspace' : `${stores.length} workspaces`}`;
  const most = stores.length === 1 ? '' : `, the most for ${largest!.root} (${formatBytes(largest!.bytes)})`;
  const text = `${formatBytes(own)} for this workspace, ${all}${most}`;
  return [ok('snapshots', `${text}; \`klaus db gc\` shows what it would free`)];
}

function checkHome(home: string): Finding {
  const name = 'home';
  const hint = 'Set KLAUS_HOME to a folder that you own.';
  const fail = (text: string, fix = hint): Finding => ({ name, status: 'fail', text, fix, code: 'config' });
  const stat = statOf(home);
  if (stat === undefined) {
    if (orUndefined(() => lstatSync(home))?.isSymbolicLink())
      return fail(`${home} is a broken symbolic link`, 'Create its target folder.');
    const above = toExisting(home);
    if (statOf(above)?.isDirectory() !== true) return fail(`${home} cannot be made: ${above} is no folder`);
    const why = whyNotWritable(above);
    if (why !== undefined) return fail(`${home} cannot be made: ${above} ${why}`);
    return ok(name, `${home} will be made when it is needed`);
  }
  if (!stat.isDirectory()) return fail(`${home} is no folder`, 'Set KLAUS_HOME to a folder.');
  const mode = stat.mode & 0o777;
  const uid = process.getuid?.();
  if (uid !== undefined && stat.uid !== uid) return fail(`${home} belongs to another user`);
  const why = whyNotWritable(home);
  const readOnlyFix = 'Make the disk writable, or set KLAUS_HOME to another one.';
  if (why === READ_ONLY) return { ...fail(`${home} ${why}`, readOnlyFix), code: 'store.full' };
  const fix = `chmod 700 ${home}`;
  if (why !== undefined) return fail(`${home} ${why}`, fix);
  if ((mode & 0o077) !== 0) return warn(name, `${home} is open to others (mode ${mode.toString(8)})`, fix);
  return ok(name, `${home}, mode ${mode.toString(8)}`);
}

const READ_ONLY = 'is on a read-only disk';

/** Undefined when this user can write to the folder. */
function whyNotWritable(folder: string): string | undefined {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS' ? READ_ONLY : 'cannot be written by this user';
  }
}

async function checkDatabase(home: string): Promise<Finding[]> {
  const name = 'database';
  const file = join(home, 'klaus.db');
  // Opening it would create it, and this check changes nothing.
  if (statOf(file) === undefined) return [ok(name, 'none yet')];
  const { createSqliteStore } = await import('@klaus/adapters/store');
  try {
    using store = createSqliteStore({ home });
    const { tables } = await store.stats();
    const sessions = tables.find((table) => table.name === 'sessions')?.rows ?? 0;
    return [ok(name, `${file}, ${sessions} session${sessions === 1 ? '' : 's'}`), await checkSessions(store)];
  } catch (error) {
    return [toFailure(name, error, 'store.corrupt')];
  }
}

/** Counts the newest sessions that are held by a process, wait for an answer, or were interrupted. */
async function checkSessions(store: Pick<StoreQueries, 'sessions' | 'approvals' | 'isClaimed'>): Promise<Finding> {
  const rows = await store.sessions({ limit: 1_000 });
  const held: string[] = [];
  for (const { id } of rows) if (await store.isClaimed(id)) held.push(id);
  const waiting = rows.filter(({ status }) => status === 'waiting').length;
  const asked = (await store.approvals({ open: true })).map(({ session }) => session);
  const parents = new Map(rows.map(({ id, parent }) => [id, parent]));
  // A session above waits for those below it, and no process holds it.
  const busy = new Set<string>();
  for (const each of [...held, ...asked])
    for (let id: string | null | undefined = each; id && !busy.has(id); id = parents.get(id)) busy.add(id);
  const [left, ...more] = rows.filter(({ id, status }) => status === 'running' && !busy.has(id));
  const text = [
    `${held.length} at work in other processes${held.length === 0 ? '' : ` (${held.slice(0, 3).join(', ')})`}`,
    `${waiting} waiting for an answer`,
    `${left === undefined ? 0 : more.length + 1} interrupted`,
  ].join(', ');
  const fixes = [
    ...(left === undefined ? [] : [`klaus resume ${left.id} resumes the latest interrupted one.`]),
    ...(waiting === 0 ? [] : ['klaus approvals lists the open questions.']),
  ];
  return fixes.length === 0 ? ok('sessions', text) : warn('sessions', text, fixes.join(' '));
}

function checkSpace(home: string): Finding[] {
  const name = 'disk space';
  const folder = toExisting(home);
  const disk = orUndefined(() => statfsSync(folder));
  if (!disk) return [];
  const free = disk.bavail * disk.bsize;
  const text = `${Math.floor(free / MIB).toLocaleString('en-US')} MiB free at ${folder}`;
  if (free >= LOW_SPACE) return [ok(name, text)];
  const fix = 'Free some space, for example with klaus db clear-sessions --older-than 30.';
  return [free < NO_SPACE ? { name, status: 'fail', text, fix, code: 'store.full' } : warn(name, text, fix)];
}

/** The path itself, or its nearest existing parent. */
function toExisting(path: string): string {
  let at = path;
  while (statOf(at) === undefined && at !== dirname(at)) at = dirname(at);
  return at;
}

/** Undefined also for a path below a file, or below a folder without access. */
function statOf(path: string) {
  return orUndefined(() => statSync(path));
}
