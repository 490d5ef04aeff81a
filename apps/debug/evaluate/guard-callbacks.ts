import type { EventEmitter } from 'node:events';
import type { AnyFunction, Patches } from './patches.ts';

const load = (name: string): object => process.getBuiltinModule(name)!;
const TIMERS = 'setTimeout setInterval setImmediate';
/** Modules with functions whose last argument is called later. */
const MODULES = 'fs dns zlib crypto http https net tls'.split(' ');

export interface CallbackOptions {
  patches: Patches;
  /** Makes a callback that is stopped with the evaluation. */
  bound: (callback: AnyFunction) => AnyFunction;
  /** Receives the listeners that evaluated code adds. */
  listeners: [EventEmitter, string | symbol, AnyFunction][];
}

/** What evaluated code gives the runtime to call later is called under the time limit. */
export function guardCallbacks({ patches, bound, listeners }: CallbackOptions): { end(): void } {
  const started: { clear: AnyFunction; timer: unknown }[] = [];
  const timers = load('node:timers') as Record<string, AnyFunction>;
  for (const holder of [globalThis, timers])
    for (const name of TIMERS.split(' '))
      patches.patch(holder, name, (original) => (callback, ...values) => {
        const clear = timers[name.replace('set', 'clear')]!;
        const timer = original(
          typeof callback === 'function' ? bound(callback as AnyFunction) : callback,
          ...values,
        ) as unknown;
        started.push({ clear, timer });
        return timer;
      });
  patches.patch(
    globalThis,
    'queueMicrotask',
    (original) => (callback) => original(bound(callback as AnyFunction)) as unknown,
  );
  const emitter = (load('node:events') as { prototype: object }).prototype;
  for (const name of 'on addListener once prependListener prependOnceListener'.split(' '))
    patches.patch(
      emitter,
      name,
      (original) =>
        function (this: EventEmitter, event: string | symbol, listener: AnyFunction) {
          if (typeof listener !== 'function') return original.call(this, event, listener) as unknown;
          const made = bound(listener);
          listeners.push([this, event, made]);
          return original.call(this, event, made) as unknown;
        },
    );
  patches.patch(
    EventTarget.prototype,
    'addEventListener',
    (original) =>
      function (this: EventTarget, ...values) {
        if (typeof values[1] === 'function') values[1] = bound(values[1] as AnyFunction);
        return original.apply(this, values) as unknown;
      },
  );
  // Their messages come when nothing can stop what receives them.
  for (const holder of [globalThis, load('node:worker_threads') as object])
    patches.refuse(holder, 'MessageChannel BroadcastChannel');
  for (const name of MODULES) guardModule(load(`node:${name}`) as Record<string, unknown>, { patches, bound });
  return {
    end() {
      for (const { clear, timer } of started) clear(timer);
    },
  };
}

/** `process.nextTick` of evaluated code: a queue that can be stopped at any place, other than that of the runtime. */
export function guardTicks(patches: Patches): { run(): void } {
  const queue: { callback: AnyFunction; values: unknown[] }[] = [];
  let at = 0;
  patches.patch(process, 'nextTick', () => (callback: AnyFunction, ...values: unknown[]) => {
    if (typeof callback !== 'function') throw new TypeError('The callback is no function.');
    queue[queue.length] = { callback, values };
  });
  return {
    run() {
      while (at < queue.length) {
        const { callback, values } = queue[at++]!;
        try {
          Reflect.apply(callback, undefined, values);
        } catch {
          // An exception in a callback would end the program.
        }
      }
    },
  };
}

function guardModule(
  module: Record<string, unknown>,
  { patches, bound }: Pick<CallbackOptions, 'patches' | 'bound'>,
): void {
  for (const name of Object.keys(module)) {
    const found = Object.getOwnPropertyDescriptor(module, name)!;
    // Classes and synchronous functions call nothing later.
    if (typeof found.value !== 'function' || /^[A-Z_]|Sync$/.test(name)) continue;
    patches.patch(
      module,
      name,
      (original) =>
        function (this: unknown, ...values) {
          const last = values.at(-1) as unknown;
          if (typeof last === 'function') values[values.length - 1] = bound(last as AnyFunction);
          return original.apply(this, values) as unknown;
        },
    );
  }
}
