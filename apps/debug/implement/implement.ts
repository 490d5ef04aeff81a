import { join } from 'node:path';
import { checkOptions } from '../investigate/check-options.ts';
import { openContext, type Context, type OpenedContext } from '../investigate/context.ts';
import { pickServerOptions } from '../investigate/investigate.ts';
import { KlendathuError } from '../investigate/klendathu-error.ts';
import { findAgent, launchAgent } from '../investigate/launch-agent.ts';
import type { RunOptions } from '../investigate/options.ts';
import { startRun, type Run, type RunControl } from '../investigate/start-run.ts';
import { toShape } from './context-shape.ts';
import { openSchema, type OpenedSchema } from './open-schema.ts';
import { openReplayCache } from './replay-cache.ts';
import type { JsonSchema, SchemaInput, SchemaOutput } from './schema-input.ts';

export interface ImplementOptions extends RunOptions {
  /** Default true: a result is stored, and returned for the same prompt, schema and shape of the context. */
  cache?: boolean | undefined;
  /** Default: `.klendathu/cache` in the project. */
  cacheFolder?: string | undefined;
  /** Results that the agent may try. Default 5. */
  attempts?: number | undefined;
  /** What the model is shown, for a Standard Schema that cannot be converted. */
  jsonSchema?: JsonSchema | undefined;
}

/** A result to come, with its parts: `stderr`, `events`, `summary` and `cancel()`. */
export type Implementation<T> = Run<T>;

interface Order {
  prompt: string;
  opened: OpenedContext;
  schema: OpenedSchema;
}

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
    checkOptions(options);
    if (typeof prompt !== 'string' || prompt.trim() === '') throw new KlendathuError('input', 'The prompt is empty.');
    const order = { prompt, opened: openContext(context), schema: await openSchema(schema, options.jsonSchema) };
    return (await produce(order, options, control)) as SchemaOutput<S>;
  });
}

async function produce(order: Order, options: ImplementOptions, control: RunControl): Promise<unknown> {
  if (options.cache === false) return (await askAgent(order, options, control)).value;
  const folder = options.cacheFolder ?? join(options.projectRoot ?? process.cwd(), '.klendathu', 'cache');
  const { prompt, schema, opened } = order;
  const instructions = options.instructions ?? options.extraInstructions;
  const cache = openReplayCache(folder, [prompt, schema.jsonSchema, toShape(opened.values), instructions]);
  const stored = await cache.read();
  if (stored !== undefined) {
    const checked = await schema.check(stored.value);
    if ('value' in checked) return checked.value;
  }
  const { value, raw } = await askAgent(order, options, control);
  await cache.write(raw);
  return value;
}

/** The result as the agent sent it, and as the schema returns it. */
async function askAgent({ prompt, opened, schema }: Order, options: ImplementOptions, control: RunControl) {
  const [place, { startDebugServer }, { toFailure }] = await Promise.all([
    findAgent(options),
    import('../server/debug-server.ts'),
    import('../launch/judge-end.ts'),
  ]);
  control.signal.throwIfAborted();
  let result: { value: unknown; raw: unknown } | undefined;
  let refusal: string | undefined;
  let last: { value: unknown; raw: unknown } | undefined;
  const server = await startDebugServer({
    error: undefined,
    context: opened.values,
    descriptions: opened.descriptions,
    ...pickServerOptions(options),
    implement: {
      validate: async (raw) => {
        const checked = await schema.check(raw);
        if ('reasons' in checked) return checked.reasons;
        last = { value: checked.value, raw };
        return [];
      },
      onResult: () => {
        result = last;
      },
      onRefused: (reason) => {
        refusal = reason;
      },
      ...(options.attempts !== undefined && { attempts: options.attempts }),
    },
  });
  try {
    const task = { mode: 'implement', prompt, schema: schema.jsonSchema } as const;
    const end = await launchAgent({ server, task, place }, options, control);
    control.signal.throwIfAborted();
    // A result counts even if the agent failed after it.
    if (result !== undefined) return result;
    if (refusal !== undefined) throw new KlendathuError('refused', refusal);
    if (end.exitCode !== 0) throw await toFailure(end, undefined);
    throw new KlendathuError('no-result', 'The agent ended without a valid result.');
  } finally {
    await server.close();
  }
}
