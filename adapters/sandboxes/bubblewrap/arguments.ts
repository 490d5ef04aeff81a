import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ExecRequest } from '@klaus/core/agent';
import { toRelayMounts } from '../network/relay.ts';
import { checkShown, contains } from '../paths.ts';
import type { ProjectHome } from '../project-home.ts';
import { findBoundGit } from '../protection/bind-masks.ts';
import { findMaskParents } from '../protection/mask-parents.ts';
import type { Mask } from '../protection/masks.ts';
import { toBesideView, toSource } from '../view.ts';
import { words } from '../words.ts';
import type { ControlName } from './controls.ts';
import { LIVE_ETC } from './etc-folder.ts';
import type { SandboxPlan, SandboxRequest } from './sandbox-plan.ts';
import type { Toolchains } from './toolchains/toolchains.ts';
import { canRead, canWrite, toWorkspaceMounts } from './mounts/workspace-mounts.ts';

/**
 * Parts of /proc that affect the complete machine. Root can write them even without capabilities, and commands run as
 * root on the host when root runs Klaus: `core_pattern` could then run a program on the host.
 */
const PROC_READ_ONLY = words('sys sysrq-trigger irq bus fs acpi scsi mtrr').filter((name) =>
  existsSync(`/proc/${name}`),
);
const SYSTEM_LINKS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

export interface ArgumentOptions extends SandboxPlan {
  /** Klaus's own state. */
  home: string;
  /** See `SandboxOptions`. */
  objects: readonly string[];
  etc: string;
  toolchains: Toolchains;
  masks: readonly Mask[];
  env: Readonly<Record<string, string>>;
  user: { uid: number; gid: number };
  /** Supported by bubblewrap since 0.8. */
  hasDisableUserns: boolean;
  seccompFd: number | undefined;
  without: ReadonlySet<ControlName>;
}

export function toEnvironment(toolchains: Toolchains, { home }: Pick<ProjectHome, 'home'>): Record<string, string> {
  return {
    PATH: toolchains.path,
    HOME: home,
    USER: 'klaus',
    LOGNAME: 'klaus',
    SHELL: '/bin/sh',
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: '/tmp',
    ...toolchains.env,
  };
}

/** Folders that commands see at least partly, except those of the system. */
export function listShown(
  options: Pick<ArgumentOptions, 'view' | 'toolchains' | 'project'>,
  { binds = [], files, readable = [] }: Pick<ExecRequest, 'binds' | 'files' | 'readable'>,
): string[] {
  const workspace = canRead(files, options.view.target) ? [options.view.target] : [...files!.read, ...files!.write];
  const bound = binds.map(({ path }) => path);
  return [...workspace, ...readable, ...options.toolchains.binds, ...bound, options.project.home];
}

/**
 * The arguments before `--`. Order matters, because a later mount covers an earlier one: Klaus's own state is hidden after
 * everything that could contain it, protected places follow writable ones, and masks are last.
 *
 * @throws KlausError `sandbox.failed` for a bind that would show Klaus's own state.
 */
export function toBubblewrapArguments(options: ArgumentOptions): string[] {
  const { request, view, home, project, toolchains, user, without, protection } = options;
  const { target: workspace } = view;
  const network = request.network === true && options.gateway === undefined;
  const { binds = [], files, readable = [], writable = [] } = request;
  if (!without.has('hidden-state')) checkShown(request, home);
  const args = namespaces(options, network);
  // The filter of system calls refuses to insert input into a terminal that the command shares.
  if (!without.has('new-session') && !(request.inherits && options.seccompFd !== undefined)) args.push('--new-session');
  if (!without.has('die-with-parent')) args.push('--die-with-parent');
  const isEmpty = Object.keys(options.passed.variables).length === 0;
  if (isEmpty && !without.has('clear-environment')) args.push('--clearenv');
  // When root runs bubblewrap, it keeps capabilities even in a user namespace.
  args.push(...(without.has('no-capabilities') ? ['--cap-add', 'ALL'] : ['--cap-drop', 'ALL']));
  if (!without.has('user-namespace')) args.push('--uid', String(user.uid), '--gid', String(user.gid));
  if (without.has('hidden-root')) args.push('--bind', '/', '/');
  args.push(...systemMounts(without), ...etcMounts(options, network), ...privateMounts(without));
  if (options.gateway !== undefined) args.push(...toRelayMounts(options.gateway.folder, !options.listensInside));
  const toolchainBind = without.has('read-only-toolchains') ? '--bind' : '--ro-bind';
  for (const folder of toolchains.binds) args.push(toolchainBind, folder, folder);
  for (const path of options.passed.files) if (isNamedFile(path, options)) args.push('--ro-bind', path, path);
  for (const path of options.passed.hidden) args.push('--tmpfs', path, '--remount-ro', path);
  for (const path of readable)
    args.push(
      ...(writable.includes(path) ? ['--bind', toBesideView(request, path).source, path] : ['--ro-bind', path, path]),
    );
  args.push(...toWorkspaceMounts(view, files));
  for (const folder of findMaskParents(options.masks, workspace))
    if (canWrite(files, folder)) args.push('--bind', toSource(view, folder), folder);
  for (const root of writable)
    for (const folder of findMaskParents(options.masks, root))
      if (isWritableBeside(request, folder)) args.push('--bind', toSource(toBesideView(request, root), folder), folder);
  if (canRead(files, join(workspace, '.git')))
    for (const path of options.objects) args.push('--ro-bind-try', path, path);
  for (const { source, target } of protection?.external ?? []) args.push('--bind', source, target);
  for (const { path, writable } of binds)
    args.push(writable ? '--bind' : '--ro-bind', path, toMountPoint(path, [...toolchains.binds, ...readable]));
  for (const path of findBoundGit(binds)) args.push('--ro-bind', path, path);
  const shown = [workspace, ...readable, ...toolchains.binds, ...binds.map((bind) => bind.path)];
  if (shown.some((path) => contains(path, home)) && !without.has('hidden-state')) {
    args.push('--tmpfs', home);
    // A workspace in Klaus's own state was requested explicitly and has just been hidden.
    if (contains(home, workspace)) args.push(...toWorkspaceMounts(view, files));
  }
  for (const { source, target, writable, shown } of project.mounts)
    if (!options.mountsInside || shown === undefined) args.push(writable ? '--bind' : '--ro-bind', source, target);
  for (const { source, path } of toolchains.homeFiles) args.push('--ro-bind', source, join(project.home, path));
  if (protection) {
    // A grant limits access to the workspace only.
    const isBeside = (target: string): boolean => writable.some((folder) => contains(folder, target));
    for (const { source, target } of protection.pinned) {
      const isWritable = isBeside(target)
        ? isWritableBeside(request, target)
        : canWrite(files, contains(workspace, target) ? target : workspace);
      if (!contains(workspace, target) || canRead(files, target))
        args.push(isWritable ? '--bind' : '--ro-bind', source, target);
    }
    for (const { source, target } of protection.readOnly)
      if (!contains(workspace, target) || canRead(files, target)) args.push('--ro-bind', source, target);
  }
  for (const { target, isFolder } of options.mountsInside ? [] : options.masks)
    args.push(...(isFolder ? ['--tmpfs', target, '--remount-ro', target] : ['--ro-bind', '/dev/null', target]));
  if (!without.has('hidden-root')) args.push('--remount-ro', '/');
  args.push('--chdir', workspace);
  for (const [name, value] of Object.entries({ ...options.env, ...request.env, ...options.passed.settings }))
    args.push('--setenv', name, value);
  if (options.seccompFd !== undefined) args.push('--seccomp', String(options.seccompFd));
  return args;
}

/** Most links from one path to its file. */
const MAX_LINKS = 40;

/** Where a path is mounted. A link in a folder that is shown cannot be a mount point: what it names is. */
function toMountPoint(path: string, shown: readonly string[]): string {
  let at = path;
  for (let link = 0; link < MAX_LINKS; link++) {
    const isLink = lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (!isLink || !shown.some((folder) => contains(folder, dirname(at)))) return at;
    at = resolve(dirname(at), readlinkSync(at));
  }
  return at;
}

/** True for a file that is not visible yet, and that lies neither in Klaus's own state nor in the workspace. */
function isNamedFile(path: string, { home, view, toolchains }: ArgumentOptions): boolean {
  const real = realpathSync.native(path);
  if (contains(home, real) || contains(view.target, path)) return false;
  return !['/usr', '/etc', ...toolchains.binds].some((folder) => contains(folder, path));
}

/** The innermost folder decides: a read-only folder can lie in a writable one. */
function isWritableBeside({ readable = [], writable = [] }: SandboxRequest, path: string): boolean {
  const holders = readable.filter((folder) => contains(folder, path)).sort((a, b) => b.length - a.length);
  return holders[0] !== undefined && writable.includes(holders[0]);
}

function namespaces({ without, hasDisableUserns }: ArgumentOptions, network: boolean): string[] {
  const kinds = {
    'user-namespace': '--unshare-user',
    'pid-namespace': '--unshare-pid',
    'net-namespace': '--unshare-net',
    'ipc-namespace': '--unshare-ipc',
    'uts-namespace': '--unshare-uts',
    'cgroup-namespace': '--unshare-cgroup-try',
  } as const;
  const args = (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind): string[] =>
    without.has(kind) || (kind === 'net-namespace' && network) ? [] : [kinds[kind]],
  );
  const isNested = without.has('user-namespace') || without.has('no-nested-namespaces');
  if (hasDisableUserns && !isNested) args.push('--disable-userns');
  if (!without.has('uts-namespace')) args.push('--hostname', 'klaus');
  return args;
}

function privateMounts(without: ReadonlySet<ControlName>): string[] {
  const mounts: [ControlName, string[], string[]][] = [
    ['private-proc', ['--proc', '/proc'], ['--bind', '/proc', '/proc']],
    ['private-dev', ['--dev', '/dev'], ['--dev-bind', '/dev', '/dev']],
    [
      'private-tmp',
      ['--tmpfs', '/tmp', '--tmpfs', '/var/tmp'],
      ['--bind', '/tmp', '/tmp', '--bind', '/var/tmp', '/var/tmp'],
    ],
    ['private-run', ['--tmpfs', '/run'], ['--bind', '/run', '/run']],
  ];
  const args = mounts.flatMap(([control, kept, bare]) => (without.has(control) ? bare : kept));
  if (without.has('covered-proc') || process.getuid?.() !== 0) return args;
  for (const name of PROC_READ_ONLY) args.push('--ro-bind', `/proc/${name}`, `/proc/${name}`);
  return args;
}

function systemMounts(without: ReadonlySet<ControlName>): string[] {
  const bind = without.has('read-only-system') ? '--bind' : '--ro-bind';
  const args = [bind, '/usr', '/usr'];
  for (const name of SYSTEM_LINKS) {
    const path = `/${name}`;
    if (!existsSync(path)) continue;
    if (lstatSync(path).isSymbolicLink()) {
      if (!without.has('hidden-root')) args.push('--symlink', readlinkSync(path), path);
    } else args.push(bind, path, path);
  }
  for (const store of ['/nix/store', '/gnu/store']) args.push('--ro-bind-try', store, store);
  return args;
}

function etcMounts(options: ArgumentOptions, network: boolean): string[] {
  if (options.without.has('read-only-etc')) return ['--bind', '/etc', '/etc'];
  const args = ['--ro-bind', options.etc, '/etc'];
  for (const name of network ? LIVE_ETC : []) args.push('--ro-bind-try', `/etc/${name}`, `/etc/${name}`);
  return args;
}
