import { statSync } from 'node:fs';
import type { ExecLimits, ExecRequest } from '@klaus/core/agent';
import { checkShown, contains, toArguments } from '../paths.ts';
import { quote, toScript } from '../process/prelude.ts';
import { findBoundGit } from '../protection/bind-masks.ts';
import type { ProjectHome } from '../project-home.ts';
import type { Mask } from '../protection/masks.ts';
import type { Protection } from '../protection/protected-folders.ts';
import { toBesideView, type WorkspaceView } from '../view.ts';
import { toEngineIdentity, type Identity } from './identity.ts';

/** Processes of a container in addition to those of the command: its init process, its holder, and the command's shell. */
const OWN_PROCESSES = 3;

export interface DockerRun {
  image: string;
  view: WorkspaceView;
  /** Klaus's own state. */
  home: string;
  /** See `SandboxOptions`. */
  objects?: readonly string[] | undefined;
  project: Pick<ProjectHome, 'home' | 'mounts'>;
  limits: ExecLimits;
  user: Identity;
  masks: readonly Mask[];
  protection: Pick<Protection, 'external' | 'pinned' | 'readOnly'>;
  /** File with the seccomp profile, if there is one for the machine. */
  seccompFile?: string;
  /** Converts a path of this process to a path of the engine's machine. @throws KlausError `sandbox.failed` without one. */
  toEnginePath: (path: string) => string;
}

/** What determines a container. Two commands with the same key can use the same container. */
export interface ContainerPlan {
  /** Arguments of `docker run` without name and labels, up to the image. */
  options: readonly string[];
  image: string;
  user: Identity;
  key: string;
}

/** @throws KlausError `sandbox.failed` for a bind that would show Klaus's own state. */
export function planContainer(run: DockerRun, request: ExecRequest): ContainerPlan {
  const { limits, image, user } = run;
  checkShown(request, run.home);
  const memory = `${Math.round(limits.memoryMb)}m`;
  const holder = toEngineIdentity(user);
  const options = ['--network', request.network ? 'bridge' : 'none', '--hostname', 'klaus'];
  // By default, version 1 control groups of the host are visible.
  options.push('--cgroupns', 'private', '--memory', memory, '--memory-swap', memory, '--cpus', String(limits.cpus));
  options.push('--pids-limit', String(Math.round(limits.processes) + OWN_PROCESSES));
  options.push('--user', `${holder.uid}:${holder.gid}`, '--read-only', '--cap-drop', 'ALL');
  options.push('--security-opt', 'no-new-privileges', '--tmpfs', '/tmp:rw,exec,nosuid,nodev,mode=1777');
  if (run.seccompFile) options.push('--security-opt', `seccomp=${run.seccompFile}`);
  const mounts = listMounts(run, request);
  for (const { source, target, writable } of mounts) {
    if (source === undefined) options.push('--tmpfs', writable ? target : `${target}:ro`);
    else options.push(...mount(toEnginePath(run, source), target, writable));
  }
  options.push('--workdir', run.view.target);
  const sources = mounts.flatMap(({ source }) => (source === undefined || source === NOTHING ? [] : [source]));
  return { options, image, user, key: JSON.stringify([image, user, options, sources.map(identify)]) };
}

/** A mount; without a source an empty folder in memory. */
interface Mount {
  source?: string;
  target: string;
  writable: boolean;
}

const NOTHING = '/dev/null';

function listMounts(run: DockerRun, request: ExecRequest): Mount[] {
  const { view, home, protection } = run;
  const { binds = [], readable = [], writable = [] } = request;
  const workspace = view.target;
  const same = (path: string, isWritable: boolean): Mount => ({ source: path, target: path, writable: isWritable });
  const mounts: Mount[] = [];
  for (const path of readable) {
    const isWritable = writable.includes(path);
    const source = isWritable ? toBesideView(request, path).source : path;
    mounts.push({ source, target: path, writable: isWritable });
  }
  mounts.push({ ...view, writable: true });
  for (const path of run.objects ?? []) mounts.push(same(path, false));
  for (const external of protection.external) mounts.push({ ...external, writable: true });
  for (const bind of binds) mounts.push(same(bind.path, bind.writable));
  for (const path of findBoundGit(binds)) mounts.push(same(path, false));
  const shown = [workspace, ...readable, ...binds.map((bind) => bind.path)];
  if (shown.some((path) => contains(path, home))) mounts.push({ target: home, writable: true });
  mounts.push(...run.project.mounts);
  // The engine mounts parents before children, regardless of the order here. A path can have one mount only.
  const masked = new Set(run.masks.map((mask) => mask.target));
  const readOnly = protection.readOnly.filter(({ target }) => !masked.has(target));
  const mounted = new Set([
    ...masked,
    ...readOnly.map(({ target }) => target),
    ...protection.external.map((each) => each.target),
  ]);
  for (const pinned of protection.pinned) if (!mounted.has(pinned.target)) mounts.push({ ...pinned, writable: true });
  for (const each of readOnly) mounts.push({ ...each, writable: false });
  for (const { target, isFolder } of run.masks)
    mounts.push({ ...(isFolder ? {} : { source: NOTHING }), target, writable: false });
  return mounts;
}

function toEnginePath(run: DockerRun, source: string): string {
  return source === NOTHING ? source : run.toEnginePath(source);
}

/** Distinguishes a file or folder from another one that has replaced it. */
function identify(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}-${found.ino}-${found.birthtimeNs}` : '';
}

function mount(source: string, target: string, writable: boolean): string[] {
  const fields = ['type=bind', `source=${source}`, `target=${target}`, ...(writable ? [] : ['readonly'])];
  // The option is a line of CSV, and a path may contain a comma or a quote.
  const words = fields.map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field));
  return ['--mount', words.join(',')];
}

export interface DockerCommand {
  workspace: string;
  cwd: string;
  project: Pick<ProjectHome, 'home'>;
  /** Variables of the user. */
  passed: Readonly<Record<string, string>>;
}

/** The script that runs a command of a request, for `COMMAND_SCRIPT`. */
export function toCommandScript(command: DockerCommand, request: ExecRequest): string {
  const { project, workspace, cwd, passed } = command;
  const env = { HOME: project.home, USER: 'klaus', TERM: 'dumb', TMPDIR: '/tmp', LANG: 'C.UTF-8', ...request.env };
  const variables = Object.entries({ ...passed, ...env });
  const isName = (name: string) => /^[A-Za-z_]\w*$/.test(name);
  const exports = variables.flatMap(([name, value]) => (isName(name) ? [`export ${name}=${quote(value)}`] : []));
  // A shell cannot export these.
  const others = variables.flatMap(([name, value]) => (isName(name) ? [] : [`${name}=${value}`]));
  const words = [...(others.length > 0 ? ['env', ...others] : []), ...toArguments(request.command)];
  const path = `export PATH=${quote(`${workspace}/node_modules/.bin`)}:"$PATH"`;
  return [...exports, path, toScript(cwd, words, { hasInput: request.stdin !== undefined })].join('\n');
}
