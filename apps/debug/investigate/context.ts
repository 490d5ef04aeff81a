import { isProxy } from 'node:util/types';
import { isError } from '../stack/read-stack.ts';

/** A value of a context with a description for the agent. */
export class ContextItem<T = unknown> {
  readonly value: T;
  readonly description: string;

  constructor(value: T, description: string) {
    this.value = value;
    this.description = description;
  }
}

/** A function of a context with a description for the agent, which may call it if the access is `full`. */
export class ContextCallable<
  F extends (...args: never[]) => unknown = (...args: never[]) => unknown,
> extends ContextItem<F> {}

/** Items by name. Wrap one in {@link ContextItem} to describe it. */
export type Context = Readonly<Record<string, unknown>>;

export interface OpenedContext {
  /** The item `error`, or else the first item that is an error; else undefined. */
  error: unknown;
  /** The items without `ContextItem` around them. */
  values: Record<string, unknown>;
  descriptions: Record<string, string>;
}

/** True for anything that is thrown: an `Error` of any realm, or a value that is no plain object. */
export function isThrown(value: unknown): boolean {
  // A proxy may run code of the program, so nothing asks it.
  if (typeof value !== 'object' || value === null || isProxy(value) || isError(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of `Object.prototype` of any realm is null.
  return !(prototype === null || Object.getPrototypeOf(prototype) === null);
}

/** Reads only own data properties: an accessor might throw, and is listed with its function as the value. */
export function openContext(context: Context): OpenedContext {
  const values: Record<string, unknown> = {};
  const descriptions: Record<string, string> = {};
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(context))) {
    if (!property.enumerable) continue;
    const item: unknown = 'value' in property ? property.value : property.get;
    if (item instanceof ContextItem) {
      values[name] = item.value;
      descriptions[name] = item.description;
    } else {
      values[name] = item;
    }
  }
  const error = 'error' in values ? values['error'] : Object.values(values).find((value) => isError(value));
  return { error, values, descriptions };
}
