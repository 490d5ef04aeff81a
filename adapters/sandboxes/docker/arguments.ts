import type { ExecLimits, ExecRequest } from '@klaus/core/agent';
import { checkShown, contains, toArguments } from '../paths.ts';
import { ownName } from '../process/owner.ts';
import { findBoundGit } from '../protection/bind-masks.ts';
import type { ProjectHome } from '../project-home.ts';
import type { Mask } from '../protection/masks.ts';
import type { Protection } from '../protection/protected-folders.ts';
import { toBesideView, type WorkspaceView } from '../view.ts';

/**
 * Reads standard input, which is connected to Klaus's `docker` client, and kills all processes of the container when it
 * closes. Started by a shell that exits immediately, so that it is not a child of the command.
 */
const WATCHER = 'read -r _ <&3; kill -KILL -1';

const PRELUDE = [
  'exec 3<&0 </dev/null',
  'read -r go <&3 || exit 125',
  '[ "$go" = go ] || exit 125',
  `(/bin/sh -c '${WATCHER}' >/dev/null 2>&1 3<&3 &)`,
  'exec 3<&-',
  'ulimit -c 0',
  'PATH="$1/node_modules/.bin:$PATH"; export PATH',
  'cd -- "$2" || exit 126',
  '[ -z "$3" ] || exec <"$3"',
  'shift 3',
  'exec "$@"',
].join('\n');

/** Label of every container with the name of the Klaus process that started it. */
export const OWNER_LABEL = 'klaus.owner';

export interface DockerRun {
  container: string;
  image: string;
  view: WorkspaceView;
  cwd: string;
  /** Klaus's own state. */
  home: string;
  /** See `SandboxOptions`. */
  objects?: readonly string[] | undefined;
  project: Pick<ProjectHome, 'home' | 'mounts'>;
  /** Names of variables that are passed from the client's environment. */
  passed: readonly string[];
  limits: ExecLimits;
  user: { uid: number; gid: number };
  masks: readonly Mask[];
  protection: Pick<Protection, 'external' | 'pinned' | 'readOnly'>;
  /** File with the seccomp profile, if there is one for the machine. */
  seccompFile?: string;
  stdinFile?: string;
}

/** @throws KlausError `sandbox.failed` for a bind that would show Klaus's own state. */
export function toDockerArguments(run: DockerRun, request: ExecRequest): string[] {
  const { limits, home, user, view, protection } = run;
  const workspace = view.target;
  const { binds = [], readable = [], writable = [] } = request;
  checkShown(request, home);
  const memory = `${Math.round(limits.memoryMb)}m`;
  const network = request.network ? 'bridge' : 'none';
  const args = ['run', '--rm', '--init', '--interactive', '--pull', 'never', '--name', run.container];
  args.push('--label', `${OWNER_LABEL}=${ownName()}`, '--network', network, '--hostname', 'klaus');
  // By default, version 1 control groups of the host are visible.
  args.push('--cgroupns', 'private', '--memory', memory, '--memory-swap', memory, '--cpus', String(limits.cpus));
  // Two more for the init process and the watcher.
  args.push('--pids-limit', String(Math.round(limits.processes) + 2));
  args.push('--user', `${user.uid}:${user.gid}`, '--read-only', '--cap-drop', 'ALL');
  args.push('--security-opt', 'no-new-privileges', '--tmpfs', '/tmp:rw,exec,nosuid,nodev,mode=1777');
  if (run.seccompFile) args.push('--security-opt', `seccomp=${run.seccompFile}`);
  for (const path of readable) {
    const isWritable = writable.includes(path);
    args.push(...mount(isWritable ? toBesideView(request, path).source : path, path, isWritable));
  }
  args.push(...mount(view.source, workspace, true));
  for (const path of run.objects ?? []) args.push(...mount(path, path, false));
  for (const { source, target } of protection.external) args.push(...mount(source, target, true));
  for (const { path, writable } of binds) args.push(...mount(path, path, writable));
  for (const path of findBoundGit(binds)) args.push(...mount(path, path, false));
  const shown = [workspace, ...readable, ...binds.map((bind) => bind.path)];
  if (shown.some((path) => contains(path, home))) args.push('--tmpfs', home);
  for (const { source, target, writable } of run.project.mounts) args.push(...mount(source, target, writable));
  // The engine mounts parents before children, regardless of the order here. A path can have one mount only.
  const masked = new Set(run.masks.map((mask) => mask.target));
  const readOnly = protection.readOnly.filter(({ target }) => !masked.has(target));
  const mounted = new Set([
    ...masked,
    ...readOnly.map(({ target }) => target),
    ...protection.external.map((each) => each.target),
  ]);
  for (const { source, target } of protection.pinned)
    if (!mounted.has(target)) args.push(...mount(source, target, true));
  for (const { source, target } of readOnly) args.push(...mount(source, target, false));
  for (const { target, isFolder } of run.masks)
    args.push(...(isFolder ? ['--tmpfs', `${target}:ro`] : mount('/dev/null', target, false)));
  if (run.stdinFile) args.push(...mount(run.stdinFile, '/run/klaus-stdin', false));
  const env = { HOME: run.project.home, USER: 'klaus', TERM: 'dumb', TMPDIR: '/tmp', LANG: 'C.UTF-8', ...request.env };
  // Only the name: other users can read arguments, and the client takes the value from its environment.
  for (const name of run.passed) args.push('--env', name);
  for (const [name, value] of Object.entries(env)) args.push('--env', `${name}=${value}`);
  args.push('--workdir', workspace, '--entrypoint', '/bin/sh', run.image, '-c', PRELUDE, 'klaus', workspace, run.cwd);
  args.push(run.stdinFile ? '/run/klaus-stdin' : '', ...toArguments(request.command));
  return args;
}

function mount(source: string, target: string, writable: boolean): string[] {
  const fields = ['type=bind', `source=${source}`, `target=${target}`, ...(writable ? [] : ['readonly'])];
  // The option is a line of CSV, and a path may contain a comma or a quote.
  const words = fields.map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field));
  return ['--mount', words.join(',')];
}
