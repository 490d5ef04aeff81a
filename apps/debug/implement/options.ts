import type { RunOptions } from '../investigate/options.ts';
import type { JsonSchema } from './schema-input.ts';

export interface ImplementOptions extends RunOptions {
  /**
   * Default false. True: a result is stored, and returned for the same prompt, schema, instructions and values of the
   * context. A context that is not data alone (functions, accessors, instances of classes) is asked about each time.
   */
  cache?: boolean | undefined;
  /** Default: `.klendathu/cache` in the project. */
  cacheFolder?: string | undefined;
  /** Results that the agent may try. Default 5. */
  attempts?: number | undefined;
  /** What the model is shown, for a Standard Schema that cannot be converted. */
  jsonSchema?: JsonSchema | undefined;
}
