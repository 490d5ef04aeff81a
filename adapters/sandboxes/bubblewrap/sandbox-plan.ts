import type { ExecLimits, ExecRequest } from '@klaus/core/agent';
import type { ResourceGroup } from '../cgroup/resource-group.ts';
import type { Gateway } from '../network/gateway.ts';
import type { PassedEnvironment } from '../passed-environment.ts';
import type { ProjectHome } from '../project-home.ts';
import type { MaskSelection } from '../protection/masks.ts';
import type { Protection } from '../protection/protected-folders.ts';
import type { WorkspaceView } from '../view.ts';

/** What `exec` and `start` have in common. */
export type StageRequest = Omit<ExecRequest, 'stdin' | 'onOutput' | 'keepBytes'>;

/** What is prepared for a command before anything of it is started. */
export interface Stage {
  request: StageRequest;
  limits: ExecLimits;
  cwd: string;
  view: WorkspaceView;
  project: ProjectHome;
  /** True where bubblewrap makes only a part of the mounts, see `inside-mounts.ts`. */
  isDivided: boolean;
  passed: PassedEnvironment;
  /** The only way out, where hosts are limited; of this command alone. */
  gateway: Gateway | undefined;
  protection: Protection | undefined;
  /** Filled also while the command runs. */
  warnings: Set<string>;
  readMasks: () => Promise<MaskSelection>;
  /** Lets other commands on the workspace go on; again does nothing. */
  resume: () => void;
}

/** What one command is run with. */
export interface Scene extends Stage {
  request: ExecRequest;
  group: ResourceGroup;
  /** What must still be mounted, where the sandbox was made ahead. */
  expected?: readonly string[];
  /** Why it had to be ended. */
  failure?: string;
}
