import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecRequest } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { contains } from '../paths.ts';
import type { ProjectHome } from '../project-home.ts';
import type { Toolchains } from './toolchains.ts';

/** What programs look for in /etc, without what is secret there. */
const ETC = `
  alternatives ld.so.cache ld.so.conf ld.so.conf.d localtime timezone os-release debian_version nsswitch.conf
  protocols services mime.types magic terminfo inputrc profile bash.bashrc ssl/certs ssl/openssl.cnf
  ca-certificates pki/tls/certs pki/ca-trust/extracted crypto-policies java python3 perl fonts maven gradle php
  ImageMagick-6
`
  .trim()
  .split(/\s+/);

const SYSTEM_LINKS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

/** Beyond this bubblewrap refuses the command line (9,000 words). */
const MAX_MASKS = 2_500;

export interface ArgumentOptions {
  workspace: string;
  /** Klaus's own state. */
  home: string;
  project: ProjectHome;
  toolchains: Toolchains;
  masks: readonly string[];
  env: Readonly<Record<string, string>>;
  user: { uid: number; gid: number };
  /** Known to bubblewrap from 0.8 on. */
  hasDisableUserns: boolean;
  /** Descriptor with the seccomp filter. */
  seccompFd?: number;
}

/**
 * The words before `--`. Order matters: a later mount covers an earlier one, so Klaus's own state is hidden after
 * everything that could show it, and the masks come last.
 *
 * @throws KlausError `sandbox.failed` for a bind that would show Klaus's own state, or for too many masks.
 */
export function toBubblewrapArguments(options: ArgumentOptions, request: ExecRequest): string[] {
  const { workspace, home, project, toolchains, user } = options;
  const network = request.network === true;
  const binds = request.binds ?? [];
  for (const { path } of binds) {
    if (contains(home, existsSync(path) ? realpathSync(path) : path))
      throw new KlausError('sandbox.failed', `${path} belongs to Klaus and is never bound`);
  }
  const shown = [workspace, ...toolchains.binds, ...binds.map((bind) => bind.path)];
  const args = ['--unshare-all', '--unshare-user', ...(network ? ['--share-net'] : [])];
  if (options.hasDisableUserns) args.push('--disable-userns');
  args.push('--die-with-parent', '--new-session', '--hostname', 'klaus', '--clearenv');
  args.push('--uid', String(user.uid), '--gid', String(user.gid));
  // As root bubblewrap would keep capabilities even inside a user namespace.
  args.push('--cap-drop', 'ALL');
  args.push(...systemMounts(), ...etcMounts(project, network));
  args.push('--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp', '--tmpfs', '/run');
  for (const folder of toolchains.binds) args.push('--ro-bind', folder, folder);
  args.push('--bind', workspace, workspace);
  for (const { path, writable } of binds) args.push(writable ? '--bind' : '--ro-bind', path, path);
  if (shown.some((path) => contains(path, home))) {
    args.push('--tmpfs', home);
    // A workspace inside Klaus's own state was asked for by name and has just been covered.
    if (contains(home, workspace)) args.push('--bind', workspace, workspace);
  }
  args.push('--bind', project.home, project.home);
  args.push(...maskMounts(options.masks, [...shown, project.home]));
  args.push('--remount-ro', '/', '--chdir', workspace);
  for (const [name, value] of Object.entries({ ...options.env, ...request.env })) args.push('--setenv', name, value);
  if (options.seccompFd !== undefined) args.push('--seccomp', String(options.seccompFd));
  return args;
}

function systemMounts(): string[] {
  const args = ['--ro-bind', '/usr', '/usr'];
  for (const name of SYSTEM_LINKS) {
    const path = `/${name}`;
    if (!existsSync(path)) continue;
    if (lstatSync(path).isSymbolicLink()) args.push('--symlink', readlinkSync(path), path);
    else args.push('--ro-bind', path, path);
  }
  for (const store of ['/nix/store', '/gnu/store']) args.push('--ro-bind-try', store, store);
  return args;
}

function etcMounts(project: ProjectHome, network: boolean): string[] {
  const args: string[] = [];
  for (const name of ETC) args.push('--ro-bind-try', `/etc/${name}`, `/etc/${name}`);
  const own = ['passwd', 'group', 'gitconfig', ...(network ? [] : ['hosts'])];
  for (const name of own) args.push('--ro-bind', join(project.etc, name), `/etc/${name}`);
  const live = network ? ['hosts', 'resolv.conf', 'host.conf', 'gai.conf'] : [];
  for (const name of live) args.push('--ro-bind-try', `/etc/${name}`, `/etc/${name}`);
  return args;
}

function maskMounts(masks: readonly string[], shown: readonly string[]): string[] {
  const args: string[] = [];
  const real = new Set(masks.flatMap((path) => (existsSync(path) ? [realpathSync(path)] : [])));
  for (const path of real) {
    // What is not visible needs no mask, and bubblewrap would create the name.
    if (!shown.some((folder) => contains(folder, path))) continue;
    if (statSync(path).isDirectory()) args.push('--tmpfs', path, '--remount-ro', path);
    else args.push('--ro-bind', '/dev/null', path);
  }
  if (real.size > MAX_MASKS) {
    throw new KlausError('sandbox.failed', `${real.size} files are to be hidden; at most ${MAX_MASKS} can be`);
  }
  return args;
}
