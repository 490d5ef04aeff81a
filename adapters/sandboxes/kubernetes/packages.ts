import { createRequire } from 'node:module';
import type * as clientPackage from '@kubernetes/client-node';
import { KlausError } from '@klaus/core/protocol';

const ownRequire = createRequire(import.meta.url);

/** The version for which the driver is built and tested. */
export const VERSION = '2.0.1';

export type KubernetesPackage = typeof clientPackage;

/**
 * Loads the client of Kubernetes, which is no part of an installation of Klaus.
 *
 * @param require Finds the package. Default: as for Klaus itself.
 * @throws KlausError `sandbox.unavailable` when it is not installed.
 */
export function loadKubernetes(require: (name: string) => unknown = ownRequire): KubernetesPackage {
  try {
    return require('@kubernetes/client-node') as KubernetesPackage;
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    const reason = isMissing ? 'is not installed' : `cannot be loaded: ${String(cause)}`;
    throw new KlausError('sandbox.unavailable', `The package \`@kubernetes/client-node\` ${reason}.`, {
      hint: `Install it next to Klaus: \`npm install --global @kubernetes/client-node@${VERSION}\`.`,
      cause,
    });
  }
}
