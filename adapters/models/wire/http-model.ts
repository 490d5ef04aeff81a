import type { Model, ModelEvent, StreamOptions } from '@klaus/core/agent';
import { toFailure } from './failure.ts';
import { createSender, type HttpModelOptions, type ModelWire } from './sender.ts';

export type { HttpModelOptions, ModelWire, ReadOptions } from './sender.ts';

/** A model behind an API. It neither retries nor times out: the loop does, in one place for every provider. */
export function createHttpModel(options: HttpModelOptions, wire: ModelWire): Model {
  const { name, info } = options;
  const send = createSender(options, wire);
  return { name, info, stream: (request, stream) => endWithFailure(send(request, stream), stream) };
}

/**
 * Turns any error of `events` into the one `failed` event that ends a stream.
 *
 * @throws only what is not a failure of provider or network, that is, bugs.
 */
export async function* endWithFailure(
  events: AsyncIterable<ModelEvent>,
  { signal }: StreamOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  let ended = false;
  try {
    for await (const event of events) {
      ended = event.type === 'finished' || event.type === 'failed';
      yield event;
    }
  } catch (error) {
    // An error after an abort is the abort, in one of many forms.
    const failure = signal.aborted ? undefined : toFailure(error, Date.now());
    if (failure) return yield { type: 'failed', failure };
    if (!signal.aborted) throw error;
  }
  if (!ended) yield { type: 'failed', failure: { code: 'abandoned', message: 'The request was cancelled.' } };
}
