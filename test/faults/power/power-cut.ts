import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Chance } from '../../undo/chance.ts';
import type { DiskEvent, DiskRecord, Named } from './disk-record.ts';

/** The fate of unsynced writes: all are lost, all are stored, or any part, including parts of a write. */
export type Fate = 'lost' | 'kept' | 'any';

/** Sectors are written completely. */
const SECTOR = 512;

/**
 * The disk after a power loss following the first `cut` events. Durable are only synced data: the content
 * of a file after its fsync or fdatasync, and the names in a folder after that of the folder. Otherwise each write of a file is
 * stored, lost or cut at a sector, independently of the others. The names in a folder change in order, so that the first
 * changes are stored, independently of other folders. A rename is one change. Filesystems with a journal lose
 * less, because any sync also stores all earlier changes of names.
 */
export function cutPower(
  record: DiskRecord,
  cut: number,
  options: { fate: Fate; chance: Chance; certain?: (path: string) => boolean },
): Map<string, Buffer | 'folder'> {
  const events = record.events.slice(0, cut);
  const names = toNames(record, events, options);
  const contents = new Map<string, Buffer | 'folder'>();
  const bases = new Map([...record.numbers].map(([path, file]) => [file, record.base.files.get(path)!]));
  const walk = (folder: string): void => {
    for (const [name, now] of names.get(folder) ?? []) {
      const path = join(folder, name);
      if (now === null) continue;
      contents.set(
        path,
        now === 'folder' ? 'folder' : toContent(events, now, { ...options, path, base: bases.get(now) }),
      );
      if (now === 'folder') walk(path);
    }
  };
  walk([...record.base.folders][0]!);
  return contents;
}

/** Replaces all files by those of the disk. */
export function writeDisk(root: string, disk: ReadonlyMap<string, Buffer | 'folder'>): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  for (const [path, content] of disk) {
    if (content === 'folder') mkdirSync(path, { mode: 0o700 });
    else writeFileSync(path, content, { mode: 0o600 });
    if (content === 'folder') chmodSync(path, 0o700);
  }
}

type Names = Map<string, Map<string, Named>>;

function toNames(
  record: DiskRecord,
  events: readonly DiskEvent[],
  { fate, chance, certain }: Parameters<typeof cutPower>[2],
): Names {
  const names: Names = new Map();
  const set = (folder: string, name: string, now: Named) => {
    let folderNames = names.get(folder);
    if (!folderNames) names.set(folder, (folderNames = new Map()));
    folderNames.set(name, now);
  };
  for (const folder of [...record.base.folders].slice(1)) set(...split(folder), 'folder');
  for (const [path, file] of record.numbers) set(...split(path), file);
  const last = new Map<string, number>();
  for (const event of events) if (event.kind === 'syncFolder') last.set(event.folder, event.since);
  const changed = new Map<string, number>();
  for (const event of events)
    if (event.kind === 'name') changed.set(event.folder, (changed.get(event.folder) ?? 0) + 1);
  // Number of stored changes of each folder.
  const kept = new Map<string, number>();
  for (const [folder, count] of changed) {
    const synced = events.filter(
      (event, at) => event.kind === 'name' && event.folder === folder && at < (last.get(folder) ?? 0),
    ).length;
    const all = fate === 'kept' || certain?.(`${folder}/`) === true;
    kept.set(folder, all ? count : fate === 'lost' ? synced : synced + chance.number(count - synced + 1));
  }
  const seen = new Map<string, number>();
  for (const event of events) {
    if (event.kind !== 'name') continue;
    const place = seen.get(event.folder) ?? 0;
    seen.set(event.folder, place + 1);
    if (place >= kept.get(event.folder)!) continue;
    set(event.folder, event.name, event.now);
    if (event.also) set(event.also.folder, event.also.name, null);
  }
  return names;
}

function split(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/');
  return [path.slice(0, at), path.slice(at + 1)];
}

function toContent(
  events: readonly DiskEvent[],
  file: number,
  { fate, chance, base, certain, path }: Parameters<typeof cutPower>[2] & { base: Buffer | undefined; path: string },
): Buffer {
  let since = 0;
  for (const event of events) if (event.kind === 'sync' && event.file === file) since = Math.max(since, event.since);
  let content: Buffer = Buffer.from(base ?? Buffer.alloc(0));
  const isKept = fate === 'kept' || certain?.(path) === true;
  for (const [at, event] of events.entries()) {
    if ((event.kind !== 'write' && event.kind !== 'truncate') || event.file !== file) continue;
    const isCertain = at < since || isKept;
    if (!isCertain && (fate === 'lost' || chance.percent(50))) continue;
    if (event.kind === 'truncate') content = resize(content, event.size);
    else {
      const sectors = Math.ceil(event.bytes.length / SECTOR);
      const isTorn = !isCertain && chance.percent(30);
      const bytes = isTorn ? event.bytes.subarray(0, chance.number(sectors) * SECTOR) : event.bytes;
      if (content.length < event.at + bytes.length) content = resize(content, event.at + bytes.length);
      bytes.copy(content, event.at);
    }
  }
  return content;
}

function resize(content: Buffer, size: number): Buffer {
  if (size <= content.length) return Buffer.from(content.subarray(0, size));
  return Buffer.concat([content, Buffer.alloc(size - content.length)]);
}
