import type { RunOptions } from '../investigate/options.ts';
import type { JsonSchema } from './schema-input.ts';

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
