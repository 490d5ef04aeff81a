import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const BUSYBOX = '/usr/bin/busybox';
/** What the image of Klaus needs and a real base brings by its package manager. */
const PROGRAMS = ['/usr/bin/bwrap', '/usr/bin/git', '/usr/bin/perl', '/bin/bash'];
/** The client of the engine, for the Docker sandbox. */
const DOCKER = ['/usr/bin/docker', '/usr/local/bin/docker'];
/** Loaded by name at run time, so that no program names them. */
const LIBRARIES = ['librt.so.1', 'libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2', 'libgcc_s.so.1'];

/** Why no base image can be made of this machine's programs; undefined where it can. */
export function whyNoBase(): string | undefined {
  const missing = [BUSYBOX, ...PROGRAMS, '/usr/bin/npm', '/usr/bin/ldd'].filter((file) => !existsSync(file));
  return missing.length === 0 ? undefined : `${missing.join(' and ')} missing`;
}

/**
 * Imports a base for the Dockerfile without a registry: this machine's Node, npm, git, bubblewrap and perl with their
 * libraries, and busybox for the rest.
 *
 * @param root A folder that is filled with the image's files.
 */
export function importBase(root: string, options: { name: string; env: NodeJS.ProcessEnv }): void {
  for (const name of ['bin', 'usr/bin', 'usr/local/bin', 'usr/local/lib/node_modules', 'tmp', 'var/tmp', 'etc', 'proc'])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ['dev', 'sys', 'run', 'root', 'etc/ssl']) mkdirSync(join(root, name), { recursive: true });
  for (const name of ['tmp', 'var/tmp']) chmodSync(join(root, name), 0o1777);
  copyFileSync(BUSYBOX, join(root, 'bin/busybox'));
  for (const applet of execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' }).split('\n')) {
    if (!['', 'busybox', 'bash'].includes(applet)) symlinkSync('busybox', join(root, 'bin', applet));
  }
  symlinkSync('../../bin/busybox', join(root, 'usr/bin/env'));
  for (const program of PROGRAMS) copyWithLibraries(root, program, program);
  const docker = DOCKER.find(existsSync);
  if (docker !== undefined) copyWithLibraries(root, docker, '/usr/bin/docker');
  copyWithLibraries(root, process.execPath, '/usr/local/bin/node');
  // npm looks into it for the kind of C library, and takes binaries for that one.
  copyFileSync('/usr/bin/ldd', join(root, 'usr/bin/ldd'));
  for (const name of LIBRARIES) copyLibrary(root, name);
  const npm = join(dirname(realpathSync('/usr/bin/npm')), '..');
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  if (existsSync('/etc/ssl/certs'))
    cpSync('/etc/ssl/certs', join(root, 'etc/ssl/certs'), { recursive: true, dereference: true });
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  const variables = ['PATH=/usr/local/bin:/usr/bin:/bin', ...toNetwork(root)];
  const tar = spawnSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1_000_000_000 });
  execFileSync('docker', ['import', ...variables.flatMap((text) => ['-c', `ENV ${text}`]), '-', options.name], {
    env: options.env,
    input: tar.stdout,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}

/** What this machine needs to reach the registry of packages, the image needs while it is built. */
function toNetwork(root: string): string[] {
  const variables: string[] = [];
  const registry = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim();
  if (URL.canParse(registry)) variables.push(`npm_config_registry=${registry}`);
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  if (authorities !== undefined && existsSync(authorities)) {
    copyFileSync(authorities, join(root, 'etc/authorities.pem'));
    variables.push('NODE_EXTRA_CA_CERTS=/etc/authorities.pem');
  }
  return variables;
}

function copyWithLibraries(root: string, from: string, to: string): void {
  copyInto(root, from, to);
  const { stdout } = spawnSync('ldd', [from], { encoding: 'utf8' });
  for (const [, library] of stdout.matchAll(/(\/\S+) \(0x/g)) copyInto(root, library!, library!);
}

function copyLibrary(root: string, name: string): void {
  const found = ['/lib', '/usr/lib']
    .flatMap((folder) => [join(folder, `${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu`, name)])
    .find(existsSync);
  if (found !== undefined) copyInto(root, found, found);
}

function copyInto(root: string, from: string, to: string): void {
  const target = join(root, to);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(from, target);
}
