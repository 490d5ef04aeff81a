import { AsyncLocalStorage } from 'node:async_hooks';
import type { StreamOptions } from '@klaus/core/agent';

/** Reports the bytes of one request. */
export type Watch = Pick<StreamOptions, 'onBytes' | 'onSent'>;

const watches = new AsyncLocalStorage<Watch>();

/** Runs the request of a provider that got {@link watchedFetch}. */
export function runWatched<T>(watch: Watch, send: () => T): T {
  return watches.run(watch, send);
}

/**
 * A `fetch` for providers, which reports sent and received bytes: a provider's stream has no events for keep-alives.
 */
export const watchedFetch: typeof fetch = async (input, init) => {
  const watch = watches.getStore();
  const pending = fetch(input, init);
  watch?.onSent?.();
  const response = await pending;
  const { onBytes } = watch ?? {};
  if (!onBytes || !response.body) return response;
  onBytes();
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onBytes();
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(body, response);
};
