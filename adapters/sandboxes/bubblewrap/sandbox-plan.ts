import type { ExecLimits, ExecRequest } from '@klaus/core/agent';
import type { ResourceGroup } from '../cgroup/resource-group.ts';
import type { Gateway } from '../network/gateway.ts';
import type { PassedEnvironment } from '../passed-environment.ts';
import type { ProjectHome } from '../project-home.ts';
import type { MaskSelection } from '../protection/masks.ts';
import type { Protection } from '../protection/protected-folders.ts';
import type { WorkspaceView } from '../view.ts';

/** The part of a request that `exec`, `start` and `prestart` share. */
export type SandboxRequest = Omit<ExecRequest, 'stdin' | 'onOutput' | 'keepBytes'>;

/** Everything that is prepared for a command before a process is started. */
export interface SandboxPlan {
  request: SandboxRequest;
  limits: ExecLimits;
  cwd: string;
  view: WorkspaceView;
  project: ProjectHome;
  /** True where bubblewrap makes only a part of the mounts, see `inside-mounts.ts`. */
  mountsInside: boolean;
  /** The environment of bubblewrap. It is not passed as arguments, because other users can read those. */
  passed: PassedEnvironment;
  /** The only way to the network where hosts are limited; used by this command alone. */
  gateway: Gateway | undefined;
  /** True: the gateway gets a listening socket in the network of the command. False: a relay connects to it. */
  listensInside: boolean;
  protection: Protection | undefined;
  /** Also filled while the command runs. */
  warnings: Set<string>;
  readMasks: () => Promise<MaskSelection>;
  /** Resumes other commands on the workspace. Idempotent. */
  resume: () => void;
}

/** A plan together with the state of its process. */
export interface SandboxRun extends SandboxPlan {
  request: ExecRequest;
  group: ResourceGroup;
  /** Mount points that must still exist, if the sandbox was prestarted. */
  expected?: readonly string[];
  /** Why Klaus ended the command. */
  failure?: string;
}
