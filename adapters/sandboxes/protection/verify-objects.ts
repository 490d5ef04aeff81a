import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { readForeignBytesSync, toHostPath } from '@klaus/adapters/system';

/** Larger loose objects are not verified and not stored; git keeps such files in packs. */
const MAX_BYTES = 1_024 * 1_048_576;
const SHA1_DIGITS = 40;
const INDEX_MS = 600_000;

/**
 * True when the content of a loose object has the hash in its name. Git does not verify that when it reads an object.
 *
 * @source https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
 */
export function isValidObject(path: string, id: string): boolean {
  try {
    const content = inflateSync(readForeignBytesSync(path, MAX_BYTES), { maxOutputLength: MAX_BYTES });
    return createHash(toAlgorithm(id)).update(content).digest('hex') === id;
  } catch {
    return false;
  }
}

/**
 * Builds the index of a pack from the pack itself, because an existing index can assign any name to any content.
 *
 * @returns False when the pack is damaged or git is missing.
 */
export function indexPack(pack: string, { id, index }: { id: string; index: string }): boolean {
  rmSync(index, { force: true });
  const format = toAlgorithm(id) === 'sha1' ? [] : ['--object-format=sha256'];
  const words = ['-c', 'pack.writeReverseIndex=false', 'index-pack', ...format, '-o', index, pack];
  // Runs outside any repository, so that no configuration applies.
  const env = { PATH: toHostPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', HOME: '/' };
  const ended = spawnSync('git', words, { cwd: '/', env, stdio: 'ignore', timeout: INDEX_MS });
  return ended.status === 0 && existsSync(index);
}

function toAlgorithm(id: string): 'sha1' | 'sha256' {
  return id.length === SHA1_DIGITS ? 'sha1' : 'sha256';
}
