import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export const PAUSE_IMAGE = 'klaus.test/pause:1';
export const COMMAND_IMAGE = 'klaus.test/commands:1';

const APPLETS = `sh cat chmod cp ls touch sleep env id pwd echo head tail tr kill setsid wc grep sort rm mkdir nc umount
  mount yes printf ps dd true false ln mv stat seq unshare nslookup dirname`.split(/\s+/);

/** Adds Perl with its base modules, if this machine has it: most ways out of a sandbox are Perl programs. */
function addPerl(root: string): void {
  const perl = '/usr/bin/perl';
  if (!existsSync(perl)) return;
  const libraries = execFileSync('ldd', [perl], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
  const modules = execFileSync(perl, ['-e', 'print join "\n", grep { /perl-base/ } @INC'], { encoding: 'utf8' });
  for (const path of [perl, ...[...libraries].map(([, library]) => library!), ...modules.split('\n').filter(Boolean)])
    cpSync(path, join(root, path), { recursive: true, dereference: true });
}

/** Makes an archive with an image that contains busybox, as `docker save` writes it. */
export function makeImage(
  folder: string,
  { name, busybox, entry }: { name: string; busybox: string; entry: string[] },
): string {
  const root = join(folder, 'root');
  for (const each of ['bin', 'tmp', 'etc', 'proc', 'dev', 'sys', 'run', 'var'])
    mkdirSync(join(root, each), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  copyFileSync(busybox, join(root, 'bin/busybox'));
  chmodSync(join(root, 'bin/busybox'), 0o755);
  for (const applet of APPLETS) symlinkSync('busybox', join(root, 'bin', applet));
  addPerl(root);
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\n');
  writeFileSync(
    join(folder, 'layer.tar'),
    spawnSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 100_000_000 }).stdout,
  );
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, 'layer.tar')))
    .digest('hex');
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  writeJson(join(folder, 'config.json'), {
    ...{ architecture, os: 'linux', config: { Entrypoint: entry, Env: ['PATH=/bin:/usr/bin'] } },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  });
  writeJson(join(folder, 'manifest.json'), [{ Config: 'config.json', RepoTags: [name], Layers: ['layer.tar'] }]);
  const file = join(folder, 'image.tar');
  execFileSync('tar', ['-C', folder, '-cf', file, 'manifest.json', 'config.json', 'layer.tar']);
  return file;
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, JSON.stringify(value));
}
