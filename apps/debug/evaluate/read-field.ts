import { isProxy } from 'node:util/types';

/**
 * A property of an object that evaluated code made, without running code: not of a proxy, no getter, and not one of its
 * prototypes, which that code can replace. Such code would run here without a limit, and would get objects of the program.
 */
export function readField(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null || isProxy(object)) return undefined;
  const found = Reflect.getOwnPropertyDescriptor(object, key);
  return found && 'value' in found ? found.value : undefined;
}
