import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import { readClock, runBounded } from '../inspector/bounded.ts';
import { keepAsyncStack } from './async-stack.ts';
import { guardCallbacks, guardTicks } from './guard-callbacks.ts';
import { guardChildren } from './guard-children.ts';
import { refuseFreezing, snapshotIntrinsics } from './intrinsics-guard.ts';
import { createPatches, NotAllowedError, type AnyFunction } from './patches.ts';

/** What keeps the program alive while code with effects runs in it. One for each evaluation. */
export interface ProcessGuard {
  /** Runs a part of the evaluation; what ends or breaks the program is refused or undone. */
  slice(run: () => void): void;
  /** The globals of the program among `names`, as they are during the evaluation. */
  globals(names: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** Runs the microtasks and ticks of the runtime. */
  drain(): void;
  /** Ends children, workers and timers of the evaluation, and removes everything that was installed. */
  end(): void;
}

const FATAL =
  'exit reallyExit abort kill _kill _debugProcess _debugEnd _startProfilerIdleNotifier dlopen execve binding _linkedBinding disconnect setUncaughtExceptionCaptureCallback off removeListener removeAllListeners setuid setgid seteuid setegid setgroups initgroups chdir';
const HARMLESS_EVENTS = new Set(['newListener', 'removeListener', 'warning']);
/** Evaluated code can replace the global variable. */
const runtime = process;
const buffer = Buffer;
const CALLBACKS = 'setTimeout setInterval setImmediate queueMicrotask MessageChannel BroadcastChannel'.split(' ');
const host = globalThis as Record<string, unknown>;
const tick = (runtime as unknown as { _tickCallback: () => void })._tickCallback;
const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;

interface Owner {
  isEnded: boolean;
}

const owners = new AsyncLocalStorage<Owner>();

/** @param namespaces `Object` and `Reflect` of the realms in which the code runs. */
export function createProcessGuard({
  timeoutMs,
  namespaces,
}: {
  timeoutMs: number;
  namespaces: readonly object[];
}): ProcessGuard {
  const owner: Owner = { isEnded: false };
  const limit = readClock() + timeoutMs;
  let depth = 0;
  let isDraining = false;
  const isActive = (): boolean => depth > 0;
  const patches = createPatches(isActive);
  const restoreIntrinsics = snapshotIntrinsics();
  const allowFreezing = refuseFreezing([Object, Reflect, ...namespaces]);
  const exitCode = getOwnPropertyDescriptor(runtime, 'exitCode');
  const listeners: [EventEmitter, string | symbol, AnyFunction][] = [];

  /** A callback of evaluated code, which the runtime calls later: bounded, and without effect after the end. */
  const bound = (callback: AnyFunction): AnyFunction =>
    function (this: unknown, ...values) {
      if (owner.isEnded) return undefined;
      let result: unknown;
      const call = (): void => {
        try {
          const run = (): void => {
            result = apply(callback, this, values);
            ticks.run();
          };
          enter(() => runBounded(run, limit - readClock()));
        } catch {
          // An exception in a callback would end the program.
        }
      };
      if (isActive()) call();
      else keepAsyncStack(call);
      return result;
    };
  const enter = <T>(run: () => T): T => {
    const code = runtime.exitCode;
    depth++;
    try {
      return owners.run(owner, run);
    } finally {
      depth--;
      if (depth === 0) {
        restoreIntrinsics();
        if (globalThis.process !== runtime) globalThis.process = runtime;
        if (globalThis.Buffer !== buffer) globalThis.Buffer = buffer;
        if (runtime.exitCode !== code) {
          if (exitCode) defineProperty(runtime, 'exitCode', exitCode);
          runtime.exitCode = code;
        }
      }
    }
  };

  patches.refuse(runtime, FATAL);
  // The runtime itself emits while the queues run.
  patches.patch(runtime, 'emit', (original) => (event, ...values) => {
    if (!isDraining && !HARMLESS_EVENTS.has(String(event)))
      throw new NotAllowedError('process.emit is refused: it would run what the program does at its end.');
    return original.call(runtime, event, ...values) as unknown;
  });
  const ticks = guardTicks(patches);
  const timers = guardCallbacks({ patches, bound, listeners });
  const children = guardChildren({ patches, limit });
  watchFailures();
  return {
    slice: enter,
    globals: (names) => Object.fromEntries(CALLBACKS.filter((name) => name in names).map((name) => [name, host[name]])),
    drain() {
      isDraining = true;
      try {
        ticks.run();
        tick.call(runtime);
      } finally {
        isDraining = false;
      }
    },
    end() {
      owner.isEnded = true;
      children.end();
      timers.end();
      patches.undo();
      allowFreezing();
      for (const [emitter, event, listener] of listeners) emitter.removeListener(event, listener);
    },
  };
}

let isWatching = false;

/** Failures of promises and callbacks that evaluated code started; those of the program have the effect that they have without this package. */
function watchFailures(): void {
  if (isWatching) return;
  isWatching = true;
  runtime.prependListener('unhandledRejection', onRejection);
  runtime.prependListener('uncaughtException', onException);
}

/** For the end of the server: failures of what evaluated code left behind are then those of the program. */
export function stopWatching(): void {
  isWatching = false;
  runtime.off('unhandledRejection', onRejection);
  runtime.off('uncaughtException', onException);
}

function onRejection(reason: unknown, promise: Promise<unknown>): void {
  if (owners.getStore() !== undefined || !(promise instanceof Promise)) return;
  if (runtime.listenerCount('unhandledRejection') > 1) return;
  // The default of Node.js, which this listener has switched off.
  stopWatching();
  runtime.nextTick(() => {
    throw reason;
  });
}

function onException(error: unknown): void {
  if (owners.getStore() !== undefined) return;
  if (runtime.listenerCount('uncaughtException') > 1) return;
  stopWatching();
  console.error(error);
  runtime.exit(1);
}
