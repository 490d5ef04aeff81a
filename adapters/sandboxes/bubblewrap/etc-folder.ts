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
import { words } from '../words.ts';

/** The entries of /etc that programs need, without secrets. */
const ETC = words(`
  alternatives ld.so.cache ld.so.conf ld.so.conf.d localtime timezone os-release debian_version nsswitch.conf
  protocols services mime.types magic terminfo inputrc profile bash.bashrc ssl/certs ssl/openssl.cnf
  ca-certificates pki/tls/certs pki/ca-trust/extracted crypto-policies java python3 perl fonts php
  ImageMagick-6
`);

/** Files of the project instead of those of the machine. */
const OWN = ['passwd', 'group', 'hosts', 'gitconfig', 'gitignore', 'gitattributes'];

const DAY_MS = 86_400_000;

/** Files of the machine that replace the copies for commands with network. */
export const LIVE_ETC = ['hosts', 'resolv.conf', 'host.conf', 'gai.conf'];

/**
 * A folder to mount as /etc: copies of the files that programs need, and the project's own `passwd` and similar files.
 * One mount instead of about twenty makes every command start faster. The folder is rebuilt when an original changes.
 *
 * @param path Folders of programs; files in /etc to which their toolchains link are copied too.
 */
export function openEtcFolder(project: ProjectHome, path: string): string {
  const linked = readEtcLinks(join(dirname(dirname(project.etc)), 'etc-links.json'), path.split(delimiter));
  const originals = [...new Set([...ETC, ...linked])].map((name) => `/etc/${name}`).filter((each) => existsSync(each));
  const own = readdirSync(project.etc).filter((name) => OWN.includes(name));
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
    // Another Klaus process created it first.
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isPlain });
}

function isPlain(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || !(found.isFile() || found.isDirectory() || found.isSymbolicLink())) return false;
  return found.isSymbolicLink() || (found.mode & 0o004) !== 0;
}

/** Removes copies of earlier states, which no running command uses after a day. */
function removeOthers(folders: string, key: string): void {
  for (const name of readdirSync(folders)) {
    const folder = join(folders, name);
    const age = Date.now() - (lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (name !== key && age > DAY_MS) rmSync(folder, { recursive: true, force: true });
  }
}
