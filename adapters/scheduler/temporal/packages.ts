import { createRequire } from 'node:module';
import type * as activityPackage from '@temporalio/activity';
import type * as clientPackage from '@temporalio/client';
import type * as workerPackage from '@temporalio/worker';
import { KlausError } from '@klaus/core/protocol';

const ownRequire = createRequire(import.meta.url);
let isInstalled = false;

/** The version for which the adapter is built and tested. */
export const VERSION = '1.24.0';

export interface TemporalPackages {
  client: typeof clientPackage;
  worker: typeof workerPackage;
  activity: typeof activityPackage;
}

/**
 * Loads the client of Temporal, which is no part of an installation of Klaus.
 *
 * @param require Finds the package. Default: as for Klaus itself.
 * @throws KlausError `config` when it is not installed.
 */
export function loadClient(require: NodeJS.Require = ownRequire): TemporalPackages['client'] {
  return load('@temporalio/client', () => require('@temporalio/client'));
}

/**
 * Loads the worker, with 100 MB of native code, and the package of activities that this very worker uses.
 *
 * @param require Finds the package. Default: as for Klaus itself.
 * @throws KlausError `config` when it is not installed.
 */
export function loadWorker(require: NodeJS.Require = ownRequire): Pick<TemporalPackages, 'worker' | 'activity'> {
  return load('@temporalio/worker', () => {
    const worker: TemporalPackages['worker'] = require('@temporalio/worker');
    const ofWorker = createRequire(require.resolve('@temporalio/worker'));
    return { worker, activity: ofWorker('@temporalio/activity') };
  });
}

/**
 * Starts the native part of the worker, once for each process, which does not end by itself after that. The process
 * decides itself what its signals do, and logs of its own.
 */
export function installRuntime({ worker }: Pick<TemporalPackages, 'worker'>): void {
  if (isInstalled) return;
  isInstalled = true;
  worker.Runtime.install({
    shutdownSignals: [],
    logger: new worker.DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: worker.makeTelemetryFilterString({ core: 'ERROR' }), forward: {} } },
  });
}

function load<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    const reason = isMissing ? 'is not installed' : `cannot be loaded: ${String(cause)}`;
    throw new KlausError('config', `The package \`${name}\`, which connects to Temporal, ${reason}.`, {
      hint: `Install it next to Klaus: \`npm install --global @temporalio/client@${VERSION} @temporalio/worker@${VERSION}\`.`,
      cause,
    });
  }
}
