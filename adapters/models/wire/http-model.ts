import type { Model, ModelEvent, ModelRequest, StreamOptions } from '@klaus/core/agent';
import { classifyAddress } from '@klaus/core/network-address';
import { optional } from '@klaus/core/optional';
import { toAnsweredBy } from './answered-by.ts';
import { toFailure } from '../failure/failure.ts';
import { toRefusal } from '../failure/refused-content.ts';
import { createSender, type HttpModelOptions, type ModelWire } from './sender.ts';

export type { HttpModelOptions, ModelWire, ReadOptions } from './sender.ts';

/** A model behind an API. It neither retries nor times out: the loop does, in one place for every provider. */
export function createHttpModel(options: HttpModelOptions, wire: ModelWire): Model {
  const { name, info, answeredBy = toAnsweredBy(name, options.baseUrl) } = options;
  const send = createSender({ ...options, answeredBy }, wire);
  return {
    name,
    info,
    answeredBy,
    ...locate(options.baseUrl),
    stream: (request, stream) => endWithFailure(send(request, stream), { signal: stream.signal, tools: request.tools }),
  };
}

/** Where the server of a URL is, for a {@link Model}. */
export function locate(url: string | undefined): Pick<Model, 'server' | 'isLocal'> {
  if (url === undefined || !URL.canParse(url)) return {};
  const { origin, hostname } = new URL(url);
  return { server: origin, isLocal: isLocalHost(hostname.replace(/^\[|\]$/g, '')) };
}

/** A name without a dot is one of the own network, such as `localhost` or that of a container. */
function isLocalHost(host: string): boolean {
  if (!/^[\d.]+$|:/.test(host))
    return !host.includes('.') || /\.(?:local|localhost|internal|lan|home\.arpa)$/i.test(host);
  return classifyAddress(host) !== 'public';
}

/**
 * Turns any error of `events` into the one `failed` event that ends a stream.
 *
 * @param options.tools The offered tools, which an error can name.
 * @throws only what is not a failure of provider or network, that is, bugs.
 */
export async function* endWithFailure(
  events: AsyncIterable<ModelEvent>,
  { signal, tools }: Pick<StreamOptions, 'signal'> & Pick<ModelRequest, 'tools'>,
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
    if (failure) {
      const names = tools.map(({ name }) => name);
      return yield {
        type: 'failed',
        failure: { ...failure, ...optional({ refused: toRefusal(error, failure, names) }) },
      };
    }
    if (!signal.aborted) throw error;
  }
  if (!ended) yield { type: 'failed', failure: { code: 'abandoned', message: 'The request was cancelled.' } };
}
