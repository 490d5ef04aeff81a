import { KlausError } from '@klaus/core/protocol';

/** The failure of a call, with a message for the model. */
export function toolFailed(message: string, options?: ConstructorParameters<typeof KlausError>[2]): KlausError {
  return new KlausError('tool.failed', message, options);
}
