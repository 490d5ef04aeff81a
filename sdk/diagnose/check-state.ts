import { accessSync, constants, lstatSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StoreQueries } from '@klaus/core/agent';
import { type Finding, toFailure } from './finding.ts';

const MIB = 1_024 * 1_024;
/** Below this much free space a run soon fails; below the second one now. */
const LOW_SPACE = 500 * MIB;
const NO_SPACE = 20 * MIB;

/** The state folder, its database with the sessions that wait for somebody, and the room that is left. */
export async function checkState(home: string): Promise<Finding[]> {
  const folder = checkHome(home);
  // The database can say nothing that this did not, and less clearly.
  const database = folder.status === 'fail' ? [] : await checkDatabase(home);
  return [folder, ...database, ...checkSpace(home)];
}

function checkHome(home: string): Finding {
  const name = 'home';
  const hint = 'Set KLAUS_HOME to a folder that you own.';
  const fail = (text: string, fix = hint): Finding => ({ name, status: 'fail', text, fix, code: 'config' });
  const stat = statOf(home);
  if (stat === undefined) {
    if (isLink(home)) return fail(`${home} is a link to what is not there`, 'Make the folder that it leads to.');
    const above = toExisting(home);
    if (statOf(above)?.isDirectory() !== true) return fail(`${home} cannot be made: ${above} is no folder`);
    const why = whyNotWritable(above);
    if (why !== undefined) return fail(`${home} cannot be made: ${above} ${why}`);
    return { name, status: 'ok', text: `${home} will be made when it is needed` };
  }
  if (!stat.isDirectory()) return fail(`${home} is no folder`, 'Set KLAUS_HOME to a folder.');
  const mode = stat.mode & 0o777;
  const uid = process.getuid?.();
  if (uid !== undefined && stat.uid !== uid) return fail(`${home} belongs to another user`);
  const why = whyNotWritable(home);
  if (why === READ_ONLY) {
    return {
      ...fail(`${home} ${why}`, 'Make the disk writable, or set KLAUS_HOME to another one.'),
      code: 'store.full',
    };
  }
  if (why !== undefined) return fail(`${home} ${why}`, `chmod 700 ${home}`);
  if ((mode & 0o077) !== 0) {
    return {
      name,
      status: 'warn',
      text: `${home} is open to others (mode ${mode.toString(8)})`,
      fix: `chmod 700 ${home}`,
    };
  }
  return { name, status: 'ok', text: `${home}, mode ${mode.toString(8)}` };
}

const READ_ONLY = 'is on a read-only disk';

/** Undefined where this user can write into the folder. */
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
  // Opening would make it, and this only looks.
  if (statOf(file) === undefined) return [{ name, status: 'ok', text: 'none yet' }];
  const { createSqliteStore } = await import('@klaus/adapters/store');
  try {
    using store = createSqliteStore({ home });
    const { tables } = await store.stats();
    const sessions = tables.find((table) => table.name === 'sessions')?.rows ?? 0;
    return [
      { name, status: 'ok', text: `${file}, ${sessions} session${sessions === 1 ? '' : 's'}` },
      await checkSessions(store),
    ];
  } catch (error) {
    return [toFailure(name, error, 'store.corrupt')];
  }
}

/** Which of the newest sessions are held by a process, wait for an answer, or were left by a process that is gone. */
async function checkSessions(store: Pick<StoreQueries, 'sessions' | 'isClaimed'>): Promise<Finding> {
  const name = 'sessions';
  const rows = await store.sessions({ limit: 1_000 });
  const held: string[] = [];
  for (const { id } of rows) if (await store.isClaimed(id)) held.push(id);
  const waiting = rows.filter(({ status }) => status === 'waiting').length;
  const [left, ...more] = rows.filter(({ id, status }) => status === 'running' && !held.includes(id));
  const text = [
    `${held.length} at work in other processes${held.length === 0 ? '' : ` (${held.slice(0, 3).join(', ')})`}`,
    `${waiting} waiting for an answer`,
    `${left === undefined ? 0 : more.length + 1} interrupted`,
  ].join(', ');
  const fixes = [
    ...(left === undefined ? [] : [`klaus resume ${left.id} goes on with the latest interrupted one.`]),
    ...(waiting === 0 ? [] : ['klaus approvals shows what waits.']),
  ];
  if (fixes.length === 0) return { name, status: 'ok', text };
  return { name, status: 'warn', text, fix: fixes.join(' ') };
}

function checkSpace(home: string): Finding[] {
  const name = 'disk space';
  const folder = toExisting(home);
  let free: number;
  try {
    const { bavail, bsize } = statfsSync(folder);
    free = bavail * bsize;
  } catch {
    return [];
  }
  const text = `${Math.floor(free / MIB).toLocaleString('en-US')} MiB free at ${folder}`;
  if (free >= LOW_SPACE) return [{ name, status: 'ok', text }];
  const fix = 'Free some space, for example with klaus db clear-sessions --older-than 30.';
  return free < NO_SPACE
    ? [{ name, status: 'fail', text, fix, code: 'store.full' }]
    : [{ name, status: 'warn', text, fix }];
}

/** The nearest that is there: the path itself, or what is above it. */
function toExisting(path: string): string {
  let at = path;
  while (statOf(at) === undefined && at !== dirname(at)) at = dirname(at);
  return at;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Undefined also for what lies below a file, or behind a folder that this user may not enter. */
function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
