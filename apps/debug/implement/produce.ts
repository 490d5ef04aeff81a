import { join } from 'node:path';
import { checkOptions } from '../investigate/check-options.ts';
import { openContext, type Context, type OpenedContext } from '../investigate/context.ts';
import { KlendathuError } from '../investigate/klendathu-error.ts';
import { findAgent, launchAgent } from '../investigate/launch-agent.ts';
import type { RunControl } from '../investigate/start-run.ts';
import { pickServerOptions } from '../investigate/work.ts';
import { toFailure } from '../launch/judge-end.ts';
import { toExactKey } from '../evaluate/copy/exact-key.ts';
import { startDebugServer } from '../server/debug-server.ts';
import type { ImplementOptions } from './options.ts';
import { openSchema, type OpenedSchema } from './open-schema.ts';
import { openReplayCache } from './replay-cache.ts';
import type { SchemaInput } from './schema-input.ts';

interface Request {
  prompt: string;
  context: Context;
  schema: SchemaInput;
}

interface Order {
  prompt: string;
  opened: OpenedContext;
  schema: OpenedSchema;
}

/** The value from the cache or from an agent. */
export async function produce(
  { prompt, context, schema }: Request,
  options: ImplementOptions,
  control: RunControl,
): Promise<unknown> {
  checkOptions(options);
  if (typeof prompt !== 'string' || prompt.trim() === '') throw new KlendathuError('input', 'The prompt is empty.');
  const order = { prompt, opened: openContext(context), schema: await openSchema(schema, options.jsonSchema) };
  return produceOnce(order, options, control);
}

async function produceOnce(order: Order, options: ImplementOptions, control: RunControl): Promise<unknown> {
  // Values that cannot be compared have no result that can be used again.
  const values = options.cache === true ? toExactKey(order.opened.values) : undefined;
  if (values === undefined) return (await askAgent(order, options, control)).value;
  const folder = options.cacheFolder ?? join(options.projectRoot ?? process.cwd(), '.klendathu', 'cache');
  const { prompt, schema } = order;
  const instructions = options.instructions ?? options.extraInstructions;
  const cache = openReplayCache(folder, [prompt, schema.jsonSchema, values, instructions]);
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
  const place = await findAgent(options);
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
