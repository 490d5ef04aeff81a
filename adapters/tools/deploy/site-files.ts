import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretFile } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import type { FoundPath, FoundSecret, ToolContext } from '@klaus/core/agent';
import { readAllowed } from '../git/staged-secrets.ts';
import { toolFailed } from '../tool-failed.ts';

/** A file of a site. Hashes are lower-case hexadecimal. */
export interface SiteFile {
  /** Relative to the folder of the site, with forward slashes. */
  path: string;
  /** Bytes. */
  size: number;
  md5: string;
  sha1: string;
  sha256: string;
}

export interface Site {
  folder: FoundPath;
  /** Sorted by path. */
  files: readonly SiteFile[];
  /** Files and folders that are not uploaded, with the reason. */
  leftOut: readonly { path: string; why: string }[];
  /** Bytes of all files. */
  size: number;
}

/** A secret in a file of a site. */
export interface SiteSecret extends FoundSecret {
  path: string;
}

const MAX_FILES = 10_000;
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_BYTES = 500 * 1024 * 1024;

const LEFT_OUT = new Map([
  ['.git', 'data of Git'],
  ['.hg', 'data of Mercurial'],
  ['.svn', 'data of Subversion'],
  ['.klaus', 'data of Klaus'],
  ['.terraform', 'data of Terraform'],
  ['node_modules', 'installed packages'],
  ['.DS_Store', 'data of the file manager'],
]);

/** State and variables of Terraform contain passwords in clear text. */
const TERRAFORM = /\.(?:tfstate(?:\.[\w.]+)?|tfvars(?:\.json)?|tfplan)$/;

/**
 * The files of a folder that a deploy uploads, with their hashes. Version control, installed packages, secret files and
 * symlinks are left out.
 *
 * @throws KlausError `tool.failed` if the folder is empty, has more than 10,000 files or 500 MB, a file of more than
 *   50 MB, or a name that no service accepts.
 */
export async function collectSite(context: Pick<ToolContext, 'find' | 'signal'>, path: string): Promise<Site> {
  const folder = await context.find(path);
  const state = await folder.folder.stat(folder.relative);
  if (!state) throw toolFailed(`${path} does not exist.`, { hint: 'Build the project first.' });
  if (state.kind !== 'directory') throw toolFailed(`${path} is not a directory.`);
  const { found, leftOut } = await listFiles(folder.absolute);
  if (found.length === 0) throw toolFailed(`${path} has no files to deploy.`, { hint: 'Build the project first.' });
  const files: SiteFile[] = [];
  let size = 0;
  for (const name of found) {
    if (context.signal.aborted) throw new KlausError('cancelled', 'Cancelled while the files were read.');
    const bytes = await readFile(folder, name);
    size += bytes.length;
    if (size > MAX_BYTES) throw toolFailed(`${path} has more than ${MAX_BYTES / 1024 / 1024} MB.`);
    files.push({ path: name, size: bytes.length, ...toHashes(bytes) });
  }
  return { folder, files, leftOut, size };
}

/** @throws KlausError `workspace.conflict` if the content is not the one that was collected. */
export async function readSiteFile({ folder }: Site, file: SiteFile): Promise<Uint8Array> {
  const bytes = await readFile(folder, file.path);
  if (toHashes(bytes).sha256 === file.sha256) return bytes;
  throw new KlausError('workspace.conflict', `${file.path} changed during the deploy.`, { retryable: true });
}

/** A digest of paths and contents: 64 hexadecimal digits. */
export function toSiteDigest({ files }: Site, ...more: readonly string[]): string {
  const rows = files.map(({ path, sha256 }) => [path, sha256]);
  return createHash('sha256')
    .update(JSON.stringify([rows, more]))
    .digest('hex');
}

/** `1 file`, `2 files`. */
export function countFiles(count: number): string {
  return `${count} file${count === 1 ? '' : 's'}`;
}

/** Possible secrets in the files, except those that `.klaus/secrets-allow` allows. */
export async function findSiteSecrets(
  context: Pick<ToolContext, 'workspace' | 'findSecrets'>,
  site: Site,
): Promise<SiteSecret[]> {
  const allowed = await readAllowed(context);
  const found: SiteSecret[] = [];
  for (const file of site.files) {
    const path = join(site.folder.shown, file.path);
    // Also of binary files, in which invalid bytes are replaced.
    const text = Buffer.from(await readSiteFile(site, file)).toString();
    for (const hit of context.findSecrets(text, { path })) {
      if (!allowed.has(hit.fingerprint)) found.push({ ...hit, path });
    }
  }
  return found;
}

async function readFile({ folder, relative, shown }: FoundPath, path: string): Promise<Uint8Array> {
  const inside = relative === '' ? path : `${relative}/${path}`;
  const state = await folder.stat(inside);
  if ((state?.size ?? 0) > MAX_FILE_BYTES)
    throw toolFailed(`${join(shown, path)} has more than ${MAX_FILE_BYTES / 1024 / 1024} MB.`);
  return folder.read(inside, { maxBytes: MAX_FILE_BYTES, exact: true });
}

function toHashes(bytes: Uint8Array): Pick<SiteFile, 'md5' | 'sha1' | 'sha256'> {
  const hash = (name: string): string => createHash(name).update(bytes).digest('hex');
  return { md5: hash('md5'), sha1: hash('sha1'), sha256: hash('sha256') };
}

async function listFiles(root: string): Promise<{ found: string[]; leftOut: { path: string; why: string }[] }> {
  const found: string[] = [];
  const leftOut: { path: string; why: string }[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}${entry.name}`;
      const why = findReason(entry.name, path) ?? (entry.isFile() || entry.isDirectory() ? undefined : toKind(entry));
      if (why !== undefined) leftOut.push({ path, why });
      else if (entry.isDirectory()) folders.push(`${path}/`);
      else found.push(checkName(path));
      if (found.length > MAX_FILES) throw toolFailed(`There are more than ${MAX_FILES} files to deploy.`);
    }
  }
  return { found: found.sort(), leftOut: leftOut.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

function findReason(name: string, path: string): string | undefined {
  if (TERRAFORM.test(name)) return 'state or variables of Terraform';
  return LEFT_OUT.get(name) ?? (isSecretFile(path) ? 'a secret file' : undefined);
}

function toKind(entry: { isSymbolicLink(): boolean }): string {
  return entry.isSymbolicLink() ? 'a symbolic link' : 'not a regular file';
}

/** @throws KlausError `tool.failed` for control characters and bytes that are no UTF-8. */
function checkName(path: string): string {
  if (/[\p{Cc}\u{fffd}\\]/u.test(path)) throw toolFailed(`${JSON.stringify(path)} is no name of a file in a URL.`);
  return path;
}
