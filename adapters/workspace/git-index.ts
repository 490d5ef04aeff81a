/** Type of a nested repository's commit in the mode of an entry. */
const GITLINK = 0o16;
const HASH_BYTES = 20;

export interface IndexEntry {
  path: string;
  /** SHA-1 of the blob, in lower-case hexadecimal. */
  blob: string;
  /** True for the commit of a nested repository. */
  isGitlink: boolean;
}

/**
 * The entries of a Git index; a path with a conflict has several. Git itself is not used, because in a repository that an
 * agent can write it may run programs.
 *
 * @returns Undefined unless the bytes are a complete index of version 2, 3 or 4 with SHA-1 names.
 * @source https://git-scm.com/docs/index-format
 */
export function toIndexEntries(bytes: Uint8Array): IndexEntry[] | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.length < 12 || data.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = data.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const count = data.readUInt32BE(8);
  const entries: IndexEntry[] = [];
  let previous = Buffer.alloc(0);
  let at = 12;
  for (let i = 0; i < count; i++) {
    const start = at;
    if (start + 62 > data.length) return undefined;
    const extended = (data.readUInt16BE(start + 60) & 0x4000) !== 0;
    at = start + (extended ? 64 : 62);
    let shared = 0;
    if (version === 4) {
      const [drop, next] = readOffset(data, at);
      at = next;
      shared = previous.length - drop;
      if (shared < 0) return undefined;
    }
    const end = data.indexOf(0, at);
    if (end < 0) return undefined;
    previous = Buffer.concat([previous.subarray(0, shared), data.subarray(at, end)]);
    const isGitlink = data.readUInt32BE(start + 24) >>> 12 === GITLINK;
    entries.push({ path: previous.toString('utf8'), blob: data.toString('hex', start + 40, start + 60), isGitlink });
    // Versions 2 and 3 pad each entry with 1 to 8 null bytes to a multiple of eight.
    at = version === 4 ? end + 1 : start + Math.ceil((end - start + 1) / 8) * 8;
  }
  return isSplit(data, at) ? undefined : entries;
}

/** True for a split index, whose extension `link` refers to another file. */
function isSplit(data: Buffer, extensions: number): boolean {
  const end = data.length - HASH_BYTES;
  for (let at = extensions; at + 8 <= end; at += 8 + data.readUInt32BE(at + 4))
    if (data.toString('latin1', at, at + 4) === 'link') return true;
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
