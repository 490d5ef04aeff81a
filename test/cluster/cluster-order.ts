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
  /** Address of the scripted model server. */
  model: string;
  home: string;
  workspace: string;
  env: Record<string, string>;
}

export function toOptions({ database, bucket, model, home, workspace, env }: ClusterOrder): ClusterOptions {
  return {
    ...{ database, bucket, home, env, cwd: workspace },
    settings: { model: 'scripted/test', 'sandbox.driver': 'host', 'undo.enabled': false, 'retry.baseMs': 1 },
    scripted: async () => ({ url: model }),
  };
}
