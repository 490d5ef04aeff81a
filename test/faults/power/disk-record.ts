import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { SystemCall } from './system-calls.ts';

/** An event on a disk. */
export type DiskEvent =
  | { kind: 'write'; file: number; at: number; bytes: Buffer }
  | { kind: 'truncate'; file: number; size: number }
  /** All changes of the file before event `since` are durable. */
  | { kind: 'sync'; file: number; since: number }
  /** A name in a folder: a file, a folder, or nothing. A rename also removes the other name. */
  | { kind: 'name'; folder: string; name: string; now: Named; also?: { folder: string; name: string } }
  | { kind: 'syncFolder'; folder: string; since: number }
  /** A door has shown the log up to here. */
  | { kind: 'shown'; seq: number };

export type Named = number | 'folder' | null;

/** Files and folders before the recording. */
export interface Base {
  /** Content by path. */
  files: Map<string, Buffer>;
  folders: Set<string>;
}

export interface DiskRecord {
  base: Base;
  /** File numbers by path at the beginning. */
  numbers: Map<string, number>;
  events: DiskEvent[];
}

export function readBase(root: string): Base {
  const base: Base = { files: new Map(), folders: new Set([root]) };
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const path = join(root, name);
    if (statSync(path).isDirectory()) base.folders.add(path);
    else base.files.set(path, readFileSync(path));
  }
  return base;
}

/** Records the effects of system calls in `root`. */
export function toDiskRecord(root: string, base: Base, calls: readonly SystemCall[]): DiskRecord {
  const recorder = new Recorder(root, base);
  for (const call of calls) recorder.take(call);
  return recorder.record();
}

interface Open {
  path: string;
  file: number | undefined;
  offset: { at: number };
  appends: boolean;
}

interface Content {
  bytes: Buffer;
  size: number;
}

function grow(content: Content, size: number): void {
  if (size <= content.bytes.length) return;
  const larger = Buffer.alloc(Math.max(size, content.bytes.length * 2));
  content.bytes.copy(larger);
  content.bytes = larger;
}

class Recorder {
  readonly #root: string;
  readonly #base: Base;
  readonly #numbers = new Map<string, number>();
  readonly #now = new Map<string, number>();
  readonly #folders: Set<string>;
  readonly #contents: Content[] = [];
  readonly #open = new Map<string, Open>();
  readonly #events: DiskEvent[] = [];
  /** Number of events when a call ended, by the index of the call. */
  readonly #ends: number[] = [];

  constructor(root: string, base: Base) {
    this.#root = root;
    this.#base = base;
    this.#folders = new Set(base.folders);
    for (const [path, content] of base.files) {
      const file = this.#contents.push({ bytes: Buffer.from(content), size: content.length }) - 1;
      this.#numbers.set(path, file);
      this.#now.set(path, file);
    }
  }

  record(): DiskRecord {
    return { base: this.#base, numbers: this.#numbers, events: this.#events };
  }

  take(call: SystemCall): void {
    this.#perform(call);
    this.#ends.push(this.#events.length);
  }

  #perform(call: SystemCall): void {
    const { name, args, result } = call;
    const [first, second, third, fourth] = args;
    switch (name) {
      case 'open':
      case 'creat':
        return this.#openFile(call, this.#toPath(call, undefined, first), second?.word ?? 'O_CREAT|O_TRUNC');
      case 'openat':
        return this.#openFile(call, this.#toPath(call, first, second), third!.word);
      case 'write':
        return this.#write(call, first!.number, second!.bytes!.subarray(0, result.number));
      case 'pwrite64':
        return this.#write(call, first!.number, second!.bytes!.subarray(0, result.number), fourth!.number);
      case 'lseek': {
        const open = this.#find(call, first!.number);
        if (open) open.offset.at = result.number;
        return;
      }
      case 'copy_file_range':
      case 'sendfile':
        return this.#copy(call);
      case 'ftruncate': {
        const open = this.#find(call, first!.number);
        if (open?.file !== undefined) this.#truncate(open.file, second!.number);
        return;
      }
      case 'fallocate': {
        const open = this.#find(call, first!.number);
        const end = third!.number + fourth!.number;
        if (open?.file !== undefined && end > this.#contents[open.file]!.size) this.#truncate(open.file, end);
        return;
      }
      case 'fsync':
      case 'fdatasync':
        return this.#sync(call, first!.path!.replace(/\(deleted\)$/, ''));
      case 'mkdir':
        return this.#makeFolder(this.#toPath(call, undefined, first));
      case 'mkdirat':
        return this.#makeFolder(this.#toPath(call, first, second));
      case 'unlink':
      case 'rmdir':
        return this.#remove(this.#toPath(call, undefined, first));
      case 'unlinkat':
        return this.#remove(this.#toPath(call, first, second));
      case 'rename':
        return this.#rename(this.#toPath(call, undefined, first), this.#toPath(call, undefined, second));
      case 'renameat':
      case 'renameat2':
        return this.#rename(this.#toPath(call, first, second), this.#toPath(call, third, fourth));
      case 'link':
        return this.#link(this.#toPath(call, undefined, first), this.#toPath(call, undefined, second));
      case 'linkat':
        return this.#link(this.#toPath(call, first, second), this.#toPath(call, third, fourth));
      case 'dup':
      case 'dup2':
      case 'dup3': {
        const open = this.#find(call, first!.number);
        if (open) this.#open.set(`${call.process}:${result.number}`, open);
        return;
      }
      default:
        if (args.some(({ path }) => path?.startsWith(this.#root))) throw new Error(`${name} is not understood`);
    }
  }

  #find({ process, args }: SystemCall, descriptor: number): Open | undefined {
    const open = this.#open.get(`${process}:${descriptor}`);
    const path = args[0]?.path;
    // A child inherits the open descriptors of its parent; a number that refers to another file was closed in between.
    if (open && (path === undefined || path.startsWith(open.path) || open.file !== undefined)) return open;
    if (path === undefined || !this.#now.has(path)) return undefined;
    const file = this.#now.get(path)!;
    return { path, file, offset: { at: this.#contents[file]!.size }, appends: true };
  }

  #toPath(
    call: SystemCall,
    folder: SystemCall['args'][number] | undefined,
    name: SystemCall['args'][number] | undefined,
  ): string {
    const text = name!.bytes!.toString();
    const [, descriptor, rest = ''] = /^\/proc\/(?:self|\d+)\/fd\/(\d+)(.*)$/.exec(text) ?? [];
    if (descriptor !== undefined)
      return join(this.#open.get(`${call.process}:${descriptor}`)?.path ?? '/unknown', rest);
    return resolve(folder?.path ?? '/', text);
  }

  #isInside(path: string): boolean {
    return path.startsWith(`${this.#root}/`);
  }

  #openFile(call: SystemCall, asked: string, flags: string): void {
    const path = call.result.path ?? asked;
    let file: number | undefined;
    if (this.#isInside(path) && !this.#folders.has(path) && !flags.includes('O_TMPFILE')) {
      file = this.#now.get(path);
      if (file === undefined && flags.includes('O_CREAT')) {
        file = this.#contents.push({ bytes: Buffer.alloc(0), size: 0 }) - 1;
        this.#setName(path, file);
      } else if (file !== undefined && flags.includes('O_TRUNC') && this.#contents[file]!.size > 0)
        this.#truncate(file, 0);
    }
    const open = { path, file, offset: { at: 0 }, appends: flags.includes('O_APPEND') };
    this.#open.set(`${call.process}:${call.result.number}`, open);
  }

  #write(call: SystemCall, descriptor: number, bytes: Buffer, at?: number): void {
    for (const [, seq] of bytes.toString('latin1').matchAll(/^\{"shown":(\d+)\}$/gm)) {
      this.#events.push({ kind: 'shown', seq: Number(seq) });
    }
    const open = this.#find(call, descriptor);
    if (open?.file === undefined || !this.#isInside(call.args[0]!.path ?? '')) return;
    this.#put(open, bytes, at);
  }

  #put(open: Open, bytes: Buffer, at: number | undefined): void {
    if (open.file === undefined) return;
    const begin = at ?? (open.appends ? this.#contents[open.file]!.size : open.offset.at);
    this.#events.push({ kind: 'write', file: open.file, at: begin, bytes });
    const content = this.#contents[open.file]!;
    grow(content, begin + bytes.length);
    bytes.copy(content.bytes, begin);
    content.size = Math.max(content.size, begin + bytes.length);
    if (at === undefined) open.offset.at = begin + bytes.length;
  }

  #copy(call: SystemCall): void {
    const [first, second, third] = call.args;
    const [from, to] = call.name === 'sendfile' ? [second!, first!] : [first!, third!];
    const [source, target] = [this.#open.get(`${call.process}:${from.number}`), this.#find(call, to.number)];
    if (target?.file === undefined) return;
    if (source?.file === undefined) throw new Error(`a copy of a file that is not known: ${from.path}`);
    const bytes = Buffer.from(
      this.#contents[source.file]!.bytes.subarray(source.offset.at, source.offset.at + call.result.number),
    );
    source.offset.at += bytes.length;
    this.#put(target, bytes, undefined);
  }

  #truncate(file: number, size: number): void {
    this.#events.push({ kind: 'truncate', file, size });
    const content = this.#contents[file]!;
    grow(content, size);
    content.bytes.fill(0, size, Math.max(size, content.size));
    content.size = size;
  }

  #sync(call: SystemCall, path: string): void {
    const since = call.begun === 0 ? 0 : (this.#ends[call.begun - 1] ?? this.#events.length);
    if (this.#folders.has(path)) this.#events.push({ kind: 'syncFolder', folder: path, since });
    const file = this.#find(call, call.args[0]!.number)?.file ?? this.#now.get(path);
    if (file !== undefined && this.#isInside(path)) this.#events.push({ kind: 'sync', file, since });
  }

  #setName(path: string, now: Named, also?: string): void {
    const more =
      also === undefined ? {} : { also: { folder: dirname(also), name: also.slice(dirname(also).length + 1) } };
    this.#events.push({
      kind: 'name',
      folder: dirname(path),
      name: path.slice(dirname(path).length + 1),
      now,
      ...more,
    });
    if (also !== undefined) this.#now.delete(also);
    if (typeof now === 'number') this.#now.set(path, now);
    else this.#now.delete(path);
  }

  #makeFolder(path: string): void {
    if (!this.#isInside(path)) return;
    this.#folders.add(path);
    this.#setName(path, 'folder');
  }

  #remove(path: string): void {
    if (!this.#isInside(path)) return;
    this.#folders.delete(path);
    this.#setName(path, null);
  }

  #rename(from: string, to: string): void {
    if (!this.#isInside(from)) return;
    if (this.#folders.has(from)) throw new Error(`a folder is renamed: ${from}`);
    this.#setName(to, this.#now.get(from) ?? null, from);
  }

  #link(from: string, to: string): void {
    if (this.#isInside(to)) this.#setName(to, this.#now.get(from) ?? null);
  }
}
