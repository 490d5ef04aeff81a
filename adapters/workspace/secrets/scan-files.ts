import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { readForeignFile } from '@klaus/adapters/system';
import { fromSecretsAllow, type SecretFinding, type SecretScanner, SECRETS_ALLOW } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import { listFiles } from './list-files.ts';

export interface FileFinding extends Omit<SecretFinding, 'start' | 'end'> {
  /** Relative to the root, with forward slashes. */
  path: string;
}

/**
 * Scans files for secrets: the given files, and all files in the given folders that Git does not ignore. Of files with a
 * null byte in their first 8 KiB only the names are checked.
 *
 * @param root Absolute real path of the workspace; fingerprints use paths relative to it.
 * @param paths Absolute, or relative to the root. Default: the root.
 * @throws KlausError `usage` for a path that does not exist or lies outside the root.
 */
export async function* scanFiles(
  root: string,
  { scanner, paths = [] }: { scanner: SecretScanner; paths?: readonly string[] },
): AsyncGenerator<FileFinding> {
  const files = new Set<string>();
  for (const path of paths.length > 0 ? paths : ['.']) for (const file of await toFiles(root, path)) files.add(file);
  for (const path of [...files].sort()) yield* scanFile(join(root, path), path, scanner);
}

async function toFiles(root: string, path: string): Promise<string[]> {
  const absolute = resolve(root, path);
  const name = relative(root, absolute).split(sep).join('/');
  if (name === '..' || name.startsWith('../'))
    throw new KlausError('usage', `${path} is outside ${root}.`, { hint: 'Specify the folder with `--cwd`.' });
  const stat = await lstat(absolute).catch(() => undefined);
  if (!stat) throw new KlausError('usage', `${path} does not exist.`);
  if (stat.isFile()) return [name];
  if (!stat.isDirectory()) return [];
  const listed = await listFiles(absolute, ['--glob=!.git']);
  return name === '' ? listed : listed.map((file) => `${name}/${file}`);
}

const CHUNK = 4 * 1024 * 1024;
/** Overlap of two chunks: the maximum length of a secret. */
const OVERLAP = 32 * 1024;

async function* scanFile(absolute: string, path: string, scanner: SecretScanner): AsyncGenerator<FileFinding> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using file = await open(absolute, flags).catch(() => undefined);
  if (!file) return;
  const seen = new Set<string>();
  let linesBefore = 0;
  for await (const bytes of readPieces(file)) {
    const isBinary = linesBefore === 0 && bytes.subarray(0, 8_192).includes(0);
    for (const { rule, line, fingerprint } of scanner.scan(isBinary ? '' : bytes.toString('utf8'), { path })) {
      const finding = { path, rule, line: line + linesBefore, fingerprint };
      const key = `${finding.line} ${fingerprint}`;
      if (!seen.has(key)) yield finding;
      seen.add(key);
    }
    if (isBinary) return;
    for (const unit of bytes.subarray(0, CHUNK - OVERLAP)) if (unit === 10) linesBefore++;
  }
}

async function* readPieces(file: FileHandle): AsyncGenerator<Buffer> {
  if (!(await file.stat()).isFile()) return;
  for (let offset = 0; ; offset += CHUNK - OVERLAP) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, offset);
    if (bytesRead > 0 || offset === 0) yield buffer.subarray(0, bytesRead);
    if (bytesRead < CHUNK) return;
  }
}

/** Fingerprints that the workspace allows; empty without a list. */
export async function readSecretsAllow(root: string): Promise<Set<string>> {
  const { text } = await readForeignFile(join(root, SECRETS_ALLOW)).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { text: '' };
    throw error;
  });
  return fromSecretsAllow(text);
}
