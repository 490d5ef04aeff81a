import type { SandboxName } from '../protocol/index.ts';
import type { Redactor } from '../policy/index.ts';
import type { Clock } from './ports/clock.ts';
import type { Ids } from './ports/ids.ts';
import type { Models } from './ports/model.ts';
import type { Sandbox } from './ports/sandbox.ts';
import type { Store } from './ports/store.ts';
import type { ToolContext } from './ports/tool.ts';
import type { Workspace } from './ports/workspace.ts';
import type { EngineSettings } from './settings.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** A commit of the workspace on a private ref. */
export interface Checkpoint {
  ref: string;
  commit: string;
  /** Files that differ from HEAD. */
  files: number;
  /** Files kept out because they hold secrets. */
  leftOut: string[];
}

/** What a checkpoint came to; `standing` is the last one, when there was nothing new to commit. */
export type CheckpointResult = Checkpoint | { skipped: string; standing?: Checkpoint };

/** Everything the loop works with: ports, and nothing of any door. */
export interface Engine {
  readonly store: Store;
  readonly models: Models;
  readonly tools: ToolRegistry;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: EngineSettings;
  /** Klaus's own state folder, which no call may touch. */
  readonly home: string;
  /** @throws KlausError `workspace.*`. */
  openWorkspace(root: string): Promise<Workspace>;
  /** Cheap: the driver is started by the first exec. */
  openSandbox(options: { name: SandboxName; workspace: string; session: string }): Promise<Sandbox>;
  createRedactor(session: string): Redactor;
  /** Commits the workspace to its private ref. */
  checkpoint(context: ToolContext, message: string): Promise<CheckpointResult>;
}
