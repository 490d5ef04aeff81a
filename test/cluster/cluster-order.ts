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
}

export function toOptions({ database, bucket, home, workspace, env, settings }: ClusterOrder): ClusterOptions {
  return { database, bucket, home, env: { ...env, KLAUS_HOME: home }, cwd: workspace, settings };
}
