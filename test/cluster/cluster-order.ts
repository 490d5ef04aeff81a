import { createEffectTools } from './effect-tools.ts';
import type { ClusterOptions } from '@klaus/sdk/cluster';
import type { S3Options } from '@klaus/adapters/objects';

/** The services of a cluster, and the state folder of one process of it. */
export interface ClusterOrder {
  database: string;
  bucket: S3Options;
  /** Address of the engine. */
  engine: string;
  /** Folder for the compiled workflow. */
  cache: string;
  home: string;
  workspace: string;
  env: Record<string, string>;
  settings: Record<string, unknown>;
  /** Absolute path of the file of the tools of `effect-tools.ts`. Default: the process has none. */
  effects?: string;
}

export function toOptions({ database, bucket, home, workspace, env, settings, effects }: ClusterOrder): ClusterOptions {
  return {
    ...{ database, bucket, home, env: { ...env, KLAUS_HOME: home }, cwd: workspace, settings },
    ...(effects !== undefined && { tools: createEffectTools(effects) }),
  };
}

/** A line that a worker prints. */
export interface WorkerProblem {
  /** A session, or `sweep`. */
  what: string;
  code: string;
  message: string;
}
