import type { Model, ModelInfo } from '@klaus/core/agent';
import { isKlausError } from '@klaus/core/protocol';
import type { Served } from './read-served.ts';

const down = new WeakSet<Model>();

export interface DownModelOptions {
  name: string;
  /** Assumed until the program says what it serves. */
  info: ModelInfo;
  served: Served;
  /** Asks the program again. */
  open: () => Promise<Model>;
}

/**
 * A model whose program did not answer, so that its context window is unknown. Each request asks the program again: it is
 * sent when the program answers, and otherwise fails as one without a connection, which names the command that starts it.
 */
export function createDownModel({ name, info, served, open }: DownModelOptions): Model {
  const { title, start } = served.program;
  const model: Model = {
    ...{ name, info },
    async *stream(request, options) {
      let opened: Model;
      try {
        opened = await open();
      } catch (error) {
        if (!isKlausError(error)) throw error;
        const message = [error.message, error.hint].filter(Boolean).join(' ');
        return yield { type: 'failed', failure: { code: 'invalid_request', message } };
      }
      if (!isDown(opened)) return yield* opened.stream(request, options);
      const message = `No ${title} answers at ${served.origin}. Start it: ${start}`;
      yield { type: 'failed', failure: { code: 'connection', message } };
    },
  };
  down.add(model);
  return model;
}

/** True for a model that has to be created again when its program answers. */
export function isDown(model: Model): boolean {
  return down.has(model);
}
