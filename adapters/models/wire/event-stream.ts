import { MalformedResponse } from './failure.ts';

/** Milliseconds; the longest that a timer can hold. Idleness is watched by the loop. */
export const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** What `client.post(…)` of either SDK gives. */
interface Pending {
  withResponse(): Promise<{ data: unknown; response: Response }>;
}

/**
 * The events of a streaming request.
 *
 * @throws MalformedResponse when the server answers with something else, such as a proxy's page.
 */
export async function toEventStream<Event>(pending: Pending): Promise<AsyncIterable<Event>> {
  const { data, response } = await pending.withResponse();
  const type = response.headers.get('content-type') ?? '';
  if (/^(?:text\/html|application\/json)\b/i.test(type)) {
    const begin = (await response.text()).slice(0, 300);
    throw new MalformedResponse(`The server answered with ${type} where a stream of events was asked for: ${begin}`);
  }
  return data as AsyncIterable<Event>;
}
