import { constants, lstatSync, mkdirSync, renameSync, rmdirSync, unlinkSync, type BigIntStats } from 'node:fs';
import { copyFile, link, open, type FileHandle } from 'node:fs/promises';
import { KlausError, type FileChange } from '@klaus/core/protocol';
import type { FileEdit } from '@klaus/core/agent';
import { hashBytes, hashContent } from './content.ts';
import type { Directory } from './directory.ts';
import type { Journal } from './journal.ts';
import { codeOf, isRace, RaceError } from './race-error.ts';
import { toTemporaryName } from './temporary-name.ts';
import { FAILURES, openEntry, shorten, toAncestors, type PathEntry, type Root } from './path-entry.ts';

const NEW_MODE = 0o644;

/** One file of a step. */
interface Target {
  edit: FileEdit;
  entry: PathEntry;
  /** The directory of the file; `entry.parent` until missing directories are created. */
  directory: Directory;
  mode: number;
  after: string | null;
  /** The target whose file this name is another name of. */
  linkedTo?: Target;
  temp: string | null;
  backup: string | null;
  /** True when the name holds the new content, or nothing after a deletion. */
  changed: boolean;
}

/**
 * See `Workspace.apply`. New content is written to synced temporary files before the first rename. Other names of a
 * replaced file become names of the new one if the edit lists them, and otherwise keep the old content. The mode is
 * preserved, and the owner if permitted.
 */
export async function applyEdits(
  root: Root,
  edits: readonly FileEdit[],
  journal: Journal | undefined,
): Promise<FileChange[]> {
  const targets: Target[] = [];
  const made: { parent: Directory; name: string }[] = [];
  const opened: Directory[] = [];
  let step: ReturnType<Journal['begin']> | undefined;
  let done = false;
  try {
    const alone = edits.length === 1 && !edits[0]?.links?.length;
    for (const edit of edits) {
      const target = await examine(root, edit, { earlier: targets, alone });
      targets.push(target);
      for (const path of edit.links ?? []) {
        const linked = await examine(root, { ...edit, path }, { earlier: targets, alone });
        targets.push({ ...linked, linkedTo: target });
        if (!isSameFile(linked.entry.stat, target.entry.stat)) throw conflict(path);
      }
    }
    step = journal?.begin({
      root: root.path,
      rows: targets.map((t) => ({
        path: t.entry.relative,
        temp: t.temp,
        backup: t.backup,
        before: t.edit.before,
        after: t.after,
      })),
      directories: targets.flatMap((target) => toMissing(target.entry)),
    });
    for (const target of targets) {
      if (target.after === null) continue;
      makeDirectories(target, made, opened);
      await writeTemp(target);
    }
    for (const target of targets) await replace(target);
    done = true;
    step?.done();
    for (const target of targets) if (target.backup !== null) target.directory.removeFile(target.backup);
    const changed = [...targets.map((target) => target.directory), ...made.map(({ parent }) => parent)];
    for (const directory of new Set(changed)) await syncDirectory(directory);
    step?.end();
    return targets.flatMap(toChange);
  } catch (error) {
    if (done)
      throw new KlausError('tool.failed', 'The files were written but could not be synced to the disk.', {
        cause: error,
      });
    if (rollBack(targets, made)) step?.end();
    throw isRace(error) ? conflict(targets.find((t) => !t.changed)?.edit.path ?? '', error) : explain(error);
  } finally {
    for (const directory of opened) directory.close();
    for (const target of targets) target.entry.parent.close();
  }
}

/** Checks one file without changing it. Leaves its directory open. */
async function examine(
  root: Root,
  edit: FileEdit,
  step: { earlier: readonly Target[]; alone: boolean },
): Promise<Target> {
  const entry = openEntry(root, edit.path);
  try {
    const name = shorten(edit.path);
    if (entry.name === '.') throw new KlausError('tool.failed', `${name} is a directory.`);
    if (step.earlier.some((target) => target.entry.absolute === entry.absolute)) {
      throw new KlausError('tool.failed', `${name} is changed twice in one step.`);
    }
    if (edit.content === null && entry.viaLink) {
      throw new KlausError(
        'tool.failed',
        `${name} is a symbolic link. Delete its target by the target's path, or the link with a command.`,
      );
    }
    if ((await hashContent(entry)) !== edit.before) throw conflict(edit.path);
    return {
      edit,
      entry,
      directory: entry.parent,
      mode: edit.mode ?? (entry.stat ? Number(entry.stat.mode & 0o7777n) : NEW_MODE),
      after: edit.content === null ? null : hashBytes(edit.content),
      temp: edit.content === null ? null : toTemporaryName(),
      // A single rename needs no backup.
      backup: step.alone || edit.before === null ? null : toTemporaryName(),
      changed: false,
    };
  } catch (error) {
    entry.parent.close();
    throw isRace(error) ? conflict(edit.path, error) : error;
  }
}

function toMissing(entry: PathEntry): string[] {
  const above = toAncestors(entry.relative);
  return above.slice(above.length - entry.missing.length);
}

function makeDirectories(target: Target, made: { parent: Directory; name: string }[], opened: Directory[]): void {
  for (const name of target.entry.missing) {
    const parent = target.directory;
    try {
      mkdirSync(parent.child(name));
      made.push({ parent, name });
    } catch (error) {
      // Another file of the step or another program has created it. Opening it rejects a symlink.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    target.directory = parent.open(name);
    opened.push(target.directory);
  }
}

function isSameFile(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

async function writeTemp(target: Target): Promise<void> {
  const { linkedTo } = target;
  if (linkedTo) return link(linkedTo.directory.child(linkedTo.temp!), target.directory.child(target.temp!));
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(target.directory.child(target.temp!), flags, 0o600);
  try {
    await handle.writeFile(target.edit.content!);
    if (target.entry.stat) await keepOwner(handle, target.entry.stat);
    await handle.chmod(target.mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwner(handle: FileHandle, stat: BigIntStats): Promise<void> {
  if (Number(stat.uid) === process.getuid?.() && Number(stat.gid) === process.getgid?.()) return;
  try {
    await handle.chown(Number(stat.uid), Number(stat.gid));
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

/** Replaces a file with its new content, and keeps the old content as `backup`. */
async function replace(target: Target): Promise<void> {
  const { directory, entry, temp, backup } = target;
  const path = directory.child(entry.name);
  if (!isUnchanged(entry.stat, lstatSync(path, { bigint: true, throwIfNoEntry: false }))) throw new RaceError();
  if (backup !== null && temp !== null) {
    try {
      await link(path, directory.child(backup));
    } catch (error) {
      // Some filesystems have no hard links, and Linux forbids them for files of other users.
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(codeOf(error))) throw error;
      await copyFile(path, directory.child(backup), constants.COPYFILE_EXCL);
    }
  }
  if (temp !== null) renameSync(directory.child(temp), path);
  else if (backup !== null) renameSync(path, directory.child(backup));
  else if (entry.stat) unlinkSync(path);
  target.changed = true;
}

function isUnchanged(before: BigIntStats | undefined, now: BigIntStats | undefined): boolean {
  if (!before || !now) return before === now;
  return before.ino === now.ino && before.dev === now.dev && before.size === now.size && before.mtimeNs === now.mtimeNs;
}

/** Undoes a failed step. False if a part could not be undone, so that the journal has to be kept. */
function rollBack(targets: readonly Target[], made: readonly { parent: Directory; name: string }[]): boolean {
  let complete = true;
  const attempt = (act: () => void) => {
    try {
      act();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') complete = false;
    }
  };
  for (const target of targets.toReversed()) {
    const { directory, backup, temp, entry } = target;
    if (target.changed && backup !== null)
      attempt(() => renameSync(directory.child(backup), directory.child(entry.name)));
    else if (target.changed) attempt(() => unlinkSync(directory.child(entry.name)));
    else if (backup !== null) attempt(() => unlinkSync(directory.child(backup)));
    if (temp !== null && !target.changed) attempt(() => unlinkSync(directory.child(temp)));
  }
  for (const { parent, name } of made.toReversed()) attempt(() => rmdirSync(parent.child(name)));
  return complete;
}

/** Makes renames in a directory durable. */
async function syncDirectory(directory: Directory): Promise<void> {
  try {
    await using handle = await open(directory.child('.'), constants.O_RDONLY | constants.O_DIRECTORY);
    await handle.sync();
  } catch (error) {
    // A directory without read permission cannot be synced; its files are synced.
    if (!['EACCES', 'EINVAL'].includes(codeOf(error))) throw error;
  }
}

function toChange(target: Target): FileChange[] {
  const { edit, after, entry, mode } = target;
  if (edit.before === null && after === null) return [];
  const kind = edit.before === null ? 'created' : after === null ? 'deleted' : 'modified';
  return [{ path: entry.relative, kind, before: edit.before, after, ...(after === null ? {} : { mode }) }];
}

function conflict(path: string, cause?: unknown): KlausError {
  return new KlausError('workspace.conflict', `Another program has changed ${shorten(path)}, so nothing was written.`, {
    hint: 'Read the file again and repeat the change.',
    retryable: true,
    cause,
  });
}

function explain(error: unknown): unknown {
  const code = codeOf(error);
  if (code === '' || error instanceof KlausError) return error;
  const words = FAILURES[code] ?? code;
  return new KlausError('tool.failed', `The files could not be written (${words}); nothing was changed.`, {
    cause: error,
  });
}
