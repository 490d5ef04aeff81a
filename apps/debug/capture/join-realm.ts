import { syncBuiltinESMExports } from 'node:module';
import vm from 'node:vm';
import { SINK } from './sink.ts';

const host = globalThis as { [SINK]?: (values: unknown[]) => void };

/**
 * Captures errors of another realm of this thread too, such as that of the tests of Jest.
 *
 * @param global Its global object, before its program has started.
 */
export function joinRealm(global: object): void {
  // Values are passed on by a function of the realm, which sees only this one.
  if (!Object.hasOwn(global, SINK))
    Object.defineProperty(global, SINK, { value: (values: unknown[]) => host[SINK]?.(values) });
}

/**
 * Captures errors of the realms that `vm.createContext` makes from now on.
 *
 * @returns Undoes it.
 */
export function joinNewRealms(): () => void {
  const { createContext } = vm;
  const replaced: typeof createContext = (...values) => {
    const made = createContext(...values);
    try {
      joinRealm(vm.runInContext('globalThis', made) as object);
    } catch {
      // A frozen global object: its errors have no variables.
    }
    return made;
  };
  for (const key of ['name', 'length'] as const)
    Object.defineProperty(replaced, key, Object.getOwnPropertyDescriptor(createContext, key)!);
  vm.createContext = replaced;
  syncBuiltinESMExports();
  return () => {
    if (vm.createContext !== replaced) return;
    vm.createContext = createContext;
    syncBuiltinESMExports();
  };
}
