import { investigateForHook, type HookOptions } from './background.ts';
import { loadNow } from '../launch/load-now.ts';
import { readRejectionMode } from './rejection-mode.ts';

export interface InstallOptions extends HookOptions {
  /** Default true: investigates exceptions that nothing catches. */
  uncaught?: boolean | undefined;
  /** Default true: investigates rejections that nothing handles. */
  unhandledRejection?: boolean | undefined;
}

/**
 * Investigates errors that end this process, before it ends: a record is made, an agent looks at the record in another
 * process, and its report is printed. What Node.js prints and the exit code stay those of the program without this
 * hook. The process waits for the time-out at the longest. With the mode `record` it does not wait.
 *
 * An error that the program handles by its own listeners is investigated in the background.
 *
 * @returns Removes the hook.
 */
export function install(options: InstallOptions = {}): () => void {
  const { uncaught = true, unhandledRejection = true, ...hook } = options;
  const crash = loadCrash();
  const onException = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin) => {
    if (!(origin === 'unhandledRejection' ? unhandledRejection : uncaught)) return;
    if (process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()) {
      void investigateForHook(error, hook);
    } else {
      crash(error, hook);
    }
  };
  // A monitor changes nothing: the default handling follows.
  process.on('uncaughtExceptionMonitor', onException);
  const stopRejections = unhandledRejection
    ? watchRejections((error) => void investigateForHook(error, hook))
    : undefined;
  return () => {
    process.off('uncaughtExceptionMonitor', onException);
    stopRejections?.();
  };
}

type Crash = (error: unknown, options: HookOptions) => void;

/** The module for the end of the process, which cannot wait for an import then. */
function loadCrash(): Crash {
  let loaded: Crash | undefined;
  const keep = ({ investigateCrash }: { investigateCrash: Crash }) => {
    loaded = investigateCrash;
  };
  // Not while a crash may load it at once: Node.js refuses a module that is being imported.
  if (!process.features.require_module) void import('./investigate-crash.ts').then(keep, () => {});
  return (error, options) => {
    try {
      // Node.js before 22.12 needs the import: a crash before it has ended is not investigated.
      loaded ??= (loadNow('hooks/investigate-crash') as { investigateCrash: Crash }).investigateCrash;
      loaded(error, options);
    } catch {
      // Whatever fails here must not replace the error of the program.
    }
  };
}

/**
 * Reports rejections that do not end the process. A listener would prevent that they end it, so it exists only if
 * Node.js ignores it, or as long as the program has its own.
 */
function watchRejections(onRejection: (error: unknown) => void): () => void {
  const isHarmless = ['warn', 'none'].includes(readRejectionMode(process.execArgv, process.env['NODE_OPTIONS']));
  const listener = (error: unknown) => onRejection(error);
  const update = () => {
    const count = process.listeners('unhandledRejection').filter((it) => it !== listener).length;
    process.off('unhandledRejection', listener);
    if (isHarmless || count > 0) process.on('unhandledRejection', listener);
  };
  const onAdded = (name: string | symbol, added: unknown) => {
    if (name !== 'unhandledRejection' || added === listener || isListening()) return;
    process.on('unhandledRejection', listener);
  };
  const isListening = () => process.listeners('unhandledRejection').includes(listener);
  const onRemoved = (name: string | symbol, removed: unknown) => {
    if (name === 'unhandledRejection' && removed !== listener) update();
  };
  update();
  process.on('newListener', onAdded);
  process.on('removeListener', onRemoved);
  return () => {
    process.off('newListener', onAdded);
    process.off('removeListener', onRemoved);
    process.off('unhandledRejection', listener);
  };
}
