import { checkRuntime } from '../investigate/check-runtime.ts';
import type { Context } from '../investigate/context.ts';
import { startRun, type Run } from '../investigate/start-run.ts';
import type { ImplementOptions } from './options.ts';
import type { SchemaInput, SchemaOutput } from './schema-input.ts';

/** A result to come, with its parts: `stderr`, `events`, `summary` and `cancel()`. */
export type Implementation<T> = Run<T>;

/**
 * Lets an agent produce a value that matches `schema`. It may look at the items of the context in this process. Rejects
 * with a `KlendathuError` only: `schema` for a schema that the model cannot be shown, `refused` if the agent reports
 * that there is no such value, `no-result` if it ends without one.
 *
 * @param schema zod 3 or 4, a raw shape of zod, another Standard Schema, or a JSON Schema. Its transformations are applied.
 */
export function implement<const S extends SchemaInput>(
  prompt: string,
  context: Context,
  ...[schema, options = {}]: [schema: S, options?: ImplementOptions]
): Implementation<SchemaOutput<S>> {
  return startRun(undefined, options, async (control) => {
    checkRuntime('live');
    const { produce } = await import('./produce.ts');
    return (await produce({ prompt, context, schema }, options, control)) as SchemaOutput<S>;
  });
}
