/** Bytes of an object name. */
export const HASH_BYTES = 20;
/** Bytes of an entry before its name: times, device, owner and size, then mode, blob and flags. */
export const FIXED = 62;
export const MODE_AT = 24;
export const BLOB_AT = 40;
export const FLAGS_AT = 60;
export const EXTENDED = 0x40_00;
/** The longest name whose length an entry contains. */
const MAX_NAME = 0xf_ff;
/** Extensions without which the entries are not complete: a split and a sparse index. */
const REQUIRED: ReadonlySet<string> = new Set(['link', 'sdir']);

/** An index whose entries have complete names. An index can have many entries, so that none of them is an object. */
export interface PlainIndex {
  data: Buffer;
  /** Number of entries. */
  count: number;
  /** Where each entry begins in the bytes. */
  starts: Uint32Array;
  /** The first byte behind the name of each entry. */
  nameEnds: Uint32Array;
  /** The bytes between the entries and the checksum. */
  extensions: Buffer;
}

/** Undefined unless the bytes are a complete index of version 2, 3 or 4. @source https://git-scm.com/docs/index-format */
export function toPlainIndex(bytes: Uint8Array): PlainIndex | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.length < 12 || data.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = data.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  if (version === 4) return expand(data);
  const entries = toEntries(data);
  if (!entries) return undefined;
  const { count, starts, nameEnds } = entries;
  let at = 12;
  for (let i = 0; i < count; i++) {
    if (at + FIXED > data.length) return undefined;
    const nameAt = toNameAt(data, at);
    const length = ((data[at + FLAGS_AT]! << 8) | data[at + FLAGS_AT + 1]!) & MAX_NAME;
    const nameEnd = length < MAX_NAME ? nameAt + length : data.indexOf(0, nameAt);
    if (nameEnd < nameAt || data[nameEnd] !== 0) return undefined;
    starts[i] = at;
    nameEnds[i] = nameEnd;
    // Each entry is padded with 1 to 8 null bytes to a multiple of eight.
    at += (nameEnd - at + 8) & ~7;
  }
  return isIncomplete(data, at) ? undefined : { data, ...entries, extensions: toExtensions(data, at) };
}

/** Room for the entries that an index says that it has. Undefined if it cannot have so many. */
function toEntries(data: Buffer): Omit<PlainIndex, 'data' | 'extensions'> | undefined {
  const count = data.readUInt32BE(8);
  if (count > data.length / FIXED) return undefined;
  return { count, starts: new Uint32Array(count), nameEnds: new Uint32Array(count) };
}

/** Where the name of an entry begins. @param start Where the entry begins. */
export function toNameAt(data: Buffer, start: number): number {
  return start + ((data[start + FLAGS_AT]! & (EXTENDED >> 8)) === 0 ? FIXED : FIXED + 2);
}

/** An index of version 4, in which a name contains only its difference from the one before, with complete names. */
function expand(data: Buffer): PlainIndex | undefined {
  const entries = toEntries(data);
  if (!entries) return undefined;
  const { count, starts, nameEnds } = entries;
  const parts: Buffer[] = [];
  let name = Buffer.alloc(0);
  let written = 0;
  let at = 12;
  for (let i = 0; i < count; i++) {
    if (at + FIXED > data.length) return undefined;
    const length = toNameAt(data, at) - at;
    const [drop, next] = readOffset(data, at + length);
    const end = data.indexOf(0, next);
    if (end < 0 || drop > name.length) return undefined;
    name = Buffer.concat([name.subarray(0, name.length - drop), data.subarray(next, end)]);
    parts.push(data.subarray(at, at + length), name);
    starts[i] = written;
    nameEnds[i] = written += length + name.length;
    at = end + 1;
  }
  if (isIncomplete(data, at)) return undefined;
  return { data: Buffer.concat(parts), ...entries, extensions: toExtensions(data, at) };
}

function toExtensions(data: Buffer, at: number): Buffer {
  return data.subarray(at, Math.max(at, data.length - HASH_BYTES));
}

/** True for an index whose entries are in another file, or that has entries for folders. */
function isIncomplete(data: Buffer, extensions: number): boolean {
  const end = data.length - HASH_BYTES;
  for (let at = extensions; at + 8 <= end; at += 8 + data.readUInt32BE(at + 4))
    if (REQUIRED.has(data.toString('latin1', at, at + 4))) return true;
  return false;
}

/** Reads Git's variable-width number, in which each continuation byte adds one. */
function readOffset(data: Buffer, at: number): [value: number, next: number] {
  let byte = data[at++] ?? 0;
  let value = byte & 127;
  while (byte & 128) {
    byte = data[at++] ?? 0;
    value = ((value + 1) << 7) | (byte & 127);
  }
  return [value, at];
}
