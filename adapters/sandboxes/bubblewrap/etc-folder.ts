import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { ProjectHome } from '../project-home.ts';
import { readEtcLinks } from './etc-links.ts';

/** What programs look for in /etc, without what is secret there. */
const ETC = `
  alternatives ld.so.cache ld.so.conf ld.so.conf.d localtime timezone os-release debian_version nsswitch.conf
  protocols services mime.types magic terminfo inputrc profile bash.bashrc ssl/certs ssl/openssl.cnf
  ca-certificates pki/tls/certs pki/ca-trust/extracted crypto-policies java python3 perl fonts php
  ImageMagick-6
`
  .trim()
  .split(/\s+/);

const DAY_MS = 86_400_000;

/** The machine's own, bound over the copies for commands with network. */
export const LIVE_ETC = ['hosts', 'resolv.conf', 'host.conf', 'gai.conf'];

/**
 * A folder to be mounted as /etc: copies of what programs need, and the project's own `passwd` and the like. One
 * mount instead of some twenty, of which each makes every command start later. Made anew when one of the originals
 * has changed.
 *
 * @param path Folders of programs; what their toolchains link to in /etc is copied too.
 */
export function openEtcFolder(project: ProjectHome, path: string): string {
  const linked = readEtcLinks(join(dirname(dirname(project.etc)), 'etc-links.json'), path.split(delimiter));
  const originals = [...new Set([...ETC, ...linked])].map((name) => `/etc/${name}`).filter((each) => existsSync(each));
  const own = readdirSync(project.etc).filter((name) => ['passwd', 'group', 'hosts', 'gitconfig'].includes(name));
  const facts = originals.map((path) => {
    const { mtimeMs, ino, size } = lstatSync(path);
    return `${path} ${mtimeMs} ${ino} ${size}`;
  });
  const contents = own.map((name) => `${name} ${readFileSync(join(project.etc, name), 'utf8')}`);
  const digest = createHash('sha256').update([...facts, ...contents].join('\n'));
  const key = digest.digest('hex').slice(0, 12);
  const folders = join(dirname(project.etc), 'etc-copies');
  const folder = join(folders, key);
  if (existsSync(folder)) return folder;
  mkdirSync(folders, { recursive: true, mode: 0o700 });
  const made = mkdtempSync(join(folders, 'new-'));
  for (const path of originals) copy(path, join(made, path.slice('/etc/'.length)));
  for (const name of own) copyFileSync(join(project.etc, name), join(made, name));
  for (const name of LIVE_ETC) if (!existsSync(join(made, name))) writeFileSync(join(made, name), '');
  try {
    renameSync(made, folder);
    removeOthers(folders, key);
  } catch {
    // Another Klaus was faster.
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isPlain });
}

/** What cannot be read, and what is no file, folder or link, is left out. */
function isPlain(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || !(found.isFile() || found.isDirectory() || found.isSymbolicLink())) return false;
  return found.isSymbolicLink() || (found.mode & 0o004) !== 0;
}

/** Copies of an earlier state that no command can still have mounted for long. */
function removeOthers(folders: string, key: string): void {
  for (const name of readdirSync(folders)) {
    const folder = join(folders, name);
    const age = Date.now() - (lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (name !== key && age > DAY_MS) rmSync(folder, { recursive: true, force: true });
  }
}
