import { addErrors } from '../stack/read-stack.ts';
import { SINK } from './sink.ts';

const host = globalThis as { [SINK]?: (values: unknown[]) => void };

/**
 * Captures errors of another realm of this thread too, such as that of the tests of Jest.
 *
 * @param global Its global object, before its program has started.
 */
export function joinRealm(global: object): void {
  addErrors((global as typeof globalThis).Error);
  // Values are passed on by a function of the realm, which sees only this one.
  Object.defineProperty(global, SINK, { value: (values: unknown[]) => host[SINK]?.(values) });
}
