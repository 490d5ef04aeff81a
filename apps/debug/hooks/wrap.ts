import { isPromise } from 'node:util/types';
import { investigateForHook, type HookOptions } from './background.ts';

/**
 * A function that does what `fn` does, and investigates what it throws. The caller gets the original error: from an
 * asynchronous function after the investigation, which ends at the time-out at the latest, from a synchronous one
 * at once.
 */
export function wrap<This, Args extends unknown[], Result>(
  fn: (this: This, ...args: Args) => Result,
  options: HookOptions = {},
): (this: This, ...args: Args) => Result {
  return function wrapped(this: This, ...args) {
    let result: Result;
    try {
      result = fn.apply(this, args);
    } catch (error) {
      void investigateForHook(error, withArguments(options, args));
      throw error;
    }
    if (!isPromise(result)) return result;
    return result.catch(async (error: unknown) => {
      await investigateForHook(error, withArguments(options, args));
      throw error;
    }) as Result;
  };
}

function withArguments(options: HookOptions, args: readonly unknown[]): HookOptions {
  return { ...options, context: { arguments: args, ...options.context } };
}
