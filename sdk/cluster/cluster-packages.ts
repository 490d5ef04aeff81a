import { createRequire } from 'node:module';
import { S3_VERSION } from '@klaus/adapters/objects';
import { TEMPORAL_VERSION } from '@klaus/adapters/scheduler';
import { KlausError } from '@klaus/core/protocol';

/** Packages that a worker needs and an installation of Klaus does not contain, with their versions. */
export const CLUSTER_PACKAGES = {
  '@aws-sdk/client-s3': S3_VERSION,
  '@temporalio/client': TEMPORAL_VERSION,
  '@temporalio/worker': TEMPORAL_VERSION,
} as const;

/**
 * Checks that the packages can be found.
 *
 * @param require Finds them. Default: as for Klaus itself.
 * @throws KlausError `config` that names all that are missing.
 */
export function checkClusterPackages(require: Pick<NodeJS.Require, 'resolve'> = createRequire(import.meta.url)): void {
  const missing = Object.entries(CLUSTER_PACKAGES).filter(([name]) => !isInstalled(require, name));
  if (missing.length === 0) return;
  throw new KlausError(
    'config',
    `A worker needs packages that are not installed: ${missing.map(([name]) => `\`${name}\``).join(', ')}.`,
    {
      hint: `Install them next to Klaus: \`npm install --global ${missing.map((each) => each.join('@')).join(' ')}\`.`,
    },
  );
}

function isInstalled(require: Pick<NodeJS.Require, 'resolve'>, name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
