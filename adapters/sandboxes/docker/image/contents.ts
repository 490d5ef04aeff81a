import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { words } from '../../words.ts';

/** Where a distribution installs programs. Not `PATH`: programs there can be wrappers that find nothing in the image. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Without one of them `klaus sandbox build` names it. Without a shell no container can start. */
const EXPECTED = words('sh bash git python3');

/** Copied if they are installed. */
const FURTHER = words(`
  [ awk base64 basename bunzip2 bzip2 cat chmod chown cksum clear cmp comm cp csplit curl cut dash date dd df diff diff3
  dirname du echo egrep env expand expr factor false fgrep file find flock fmt fold free gawk getconf getent grep groups
  gunzip gzip head hostname id install join jq kill ldd less link ln locale ls make mawk md5sum mkdir mkfifo mktemp mv
  nice nl nohup nproc numfmt od openssl paste patch perl pgrep pkill printenv printf ps pwd python3 readlink realpath rm
  rmdir sed seq setsid sha1sum sha256sum sha512sum shuf sleep sort split stat stty sync tac tail tar tee test timeout
  touch tr true truncate tty uname uniq unlink unxz unzip uptime wc wget which whoami xargs xz yes zcat zip zstd
`);

/** Libraries that the C library and others load by name at run time, so that no program names them. */
const LOADED = words('libgcc_s.so.1 libnss_dns.so.2 libnss_files.so.2 libresolv.so.2 librt.so.1');

/** Folders of data that a program needs, if it is installed. */
const DATA: Readonly<Record<string, () => string[]>> = {
  git: () => [
    execFileSync('/usr/bin/git', ['--exec-path'], { encoding: 'utf8' }).trim(),
    '/usr/share/git-core/templates',
  ],
  python3: () => [askPython('import sysconfig; print(sysconfig.get_path("stdlib"))')],
  perl: () =>
    execFileSync('/usr/bin/perl', ['-e', 'print join "\\n", @INC'], { encoding: 'utf8' })
      .split('\n')
      .filter((folder) => folder.startsWith('/usr/lib/') || folder.startsWith('/usr/share/')),
};

/** Parts of these folders that no command needs. */
const LEFT_OUT = /\/(?:config-[\d.]+[^/]*|test|tests|idlelib|tkinter|turtledemo|ensurepip|CORE)$/;

/** What an image is made of. All paths are absolute paths of this machine. */
export interface ImageContents {
  /** Files by their path in the image. */
  files: ReadonlyMap<string, string>;
  folders: readonly string[];
  /** The folder of npm, which becomes `/usr/local/lib/node_modules/npm`. */
  npm: string | undefined;
  /** Names of expected programs that this machine does not have. */
  missing: readonly string[];
}

/** Finds what this machine offers for an image. @param programs Names of further programs. Default: none. */
export function findContents(programs: readonly string[] = []): ImageContents {
  const files = new Map([['/usr/local/bin/node', realpathSync(process.execPath)]]);
  const missing: string[] = [];
  // Without its locale some programs print a warning for each start.
  const folders = ['/etc/ssl/certs', '/usr/lib/locale/C.utf8'];
  for (const name of new Set([...EXPECTED, ...programs, ...FURTHER])) {
    const path = FOLDERS.map((folder) => join(folder, name)).find(existsSync);
    if (path === undefined) {
      if (!FURTHER.includes(name) || EXPECTED.includes(name)) missing.push(name);
      continue;
    }
    files.set(path, realpathSync(path));
    // Some programs find their data by their own name, such as python3.11.
    files.set(realpathSync(path), realpathSync(path));
    folders.push(...(DATA[name]?.() ?? []));
  }
  const npm = findNpm();
  if (npm === undefined) missing.push('npm');
  return { files, folders: [...new Set(folders)].filter(existsSync), npm, missing };
}

/** False for parts of a folder that an image does not need. */
export function isNeeded(path: string): boolean {
  return !LEFT_OUT.test(path);
}

/** The shared libraries that the files need, by path. Files of other kinds need none. */
export function findLibraries(files: readonly string[]): string[] {
  const found = new Set<string>();
  // It fails for files that are not programs, after it has listed the libraries of all others.
  const output = readLdd(files);
  for (const [, library] of output.matchAll(/(?:^|=>)\s*(\/\S+) \(0x/gm)) found.add(library!);
  const libc = [...found].find((path) => path.includes('/libc.so.'));
  for (const name of LOADED) {
    const path = join(dirname(libc ?? '/lib/libc.so.6'), name);
    if (existsSync(path)) found.add(path);
  }
  return [...found].sort();
}

function readLdd(files: readonly string[]): string {
  return spawnSync('ldd', files, { encoding: 'utf8', maxBuffer: 64 << 20 }).stdout ?? '';
}

/** npm as it comes with Node. The package of a distribution needs hundreds of other packages. */
function findNpm(): string | undefined {
  const beside = join(dirname(realpathSync(process.execPath)), '../lib/node_modules/npm');
  const installed = [...(process.env['PATH'] ?? '').split(':'), ...FOLDERS].flatMap((folder) => {
    const path = join(folder, 'npm');
    return folder.startsWith('/') && existsSync(path) ? [join(dirname(realpathSync(path)), '..')] : [];
  });
  return [beside, ...installed].find(
    (folder) => existsSync(join(folder, 'bin/npm-cli.js')) && readdirSync(folder).includes('node_modules'),
  );
}

function askPython(line: string): string {
  return execFileSync('/usr/bin/python3', ['-I', '-c', line], { encoding: 'utf8' }).trim();
}
