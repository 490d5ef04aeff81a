import type { Model } from '@klaus/core/agent';
import type { Served } from './read-served.ts';

export interface KeptModelOptions {
  /** The server's id of the model. */
  id: string;
  served?: Served;
  /** Milliseconds after the last request for which the model is kept in memory. 0: the server decides. */
  keepMs: number;
}

/** Milliseconds from the end of a request until the server is asked, and between later questions. */
const FIRST_MS = 20_000;
const EVERY_MS = 240_000;
/** Milliseconds for which a question keeps the model: until the next one, with time for it. */
const KEPT_MS = 300_000;

/**
 * Keeps the model in the memory of its program after requests, while this process lives. Without it, the program unloads
 * a model that has no work, and the next prompt waits until it is loaded and the complete history is read again.
 */
export function withKeptModel(model: Model, { id, served, keepMs }: KeptModelOptions): Model {
  if (served?.program.keep === undefined || keepMs === 0) return model;
  const { program, ask } = served;
  const [first, every, kept] = [FIRST_MS, EVERY_MS, KEPT_MS].map((ms) => Math.min(ms, keepMs / 2)) as [
    number,
    number,
    number,
  ];
  let timer: NodeJS.Timeout | undefined;
  let active = 0;
  const askIn = (ms: number, until: number): void => {
    const keep = async (): Promise<void> => {
      const own = timer;
      const isLoaded = await program.keep?.(ask, id, kept);
      // A request may have started in the meantime.
      if (isLoaded === true && own === timer && Date.now() + every < until) askIn(every, until);
    };
    timer = setTimeout(() => void keep(), ms).unref();
  };
  return {
    ...model,
    async *stream(request, options) {
      active++;
      clearTimeout(timer);
      timer = undefined;
      try {
        yield* model.stream(request, options);
      } finally {
        active--;
        clearTimeout(timer);
        if (active === 0) askIn(first, Date.now() + keepMs);
      }
    },
  };
}
