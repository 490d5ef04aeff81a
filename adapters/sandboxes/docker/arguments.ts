import type { ExecLimits, ExecRequest } from '@klaus/core/agent';
import { toIdentities, listMounts, NOTHING, type MountedWorkspace } from '../container/mounts.ts';
import { checkShown } from '../paths.ts';
import { toEngineIdentity, type Identity } from '../container/identity.ts';

/** Processes of a container in addition to those of the command: its init process, its holder, and the command's shell. */
const OWN_PROCESSES = 3;

export interface DockerRun extends MountedWorkspace {
  image: string;
  limits: ExecLimits;
  user: Identity;
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
  return { options, image, user, key: JSON.stringify([image, user, options, toIdentities(mounts)]) };
}

function toEnginePath(run: DockerRun, source: string): string {
  return source === NOTHING ? source : run.toEnginePath(source);
}

function mount(source: string, target: string, writable: boolean): string[] {
  const fields = ['type=bind', `source=${source}`, `target=${target}`, ...(writable ? [] : ['readonly'])];
  // The option is a line of CSV, and a path may contain a comma or a quote.
  const words = fields.map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field));
  return ['--mount', words.join(',')];
}
