import type { HighlightResponse, HighlightRequest } from './highlight-worker.ts';
import type { CodeLine } from '@klaus/core/conversation';

/** Longer texts are not highlighted, because the worker would take seconds. */
const MAX_TEXT = 400_000;

const MAX_CACHED = 200;

const cache = new Map<string, Promise<readonly CodeLine[] | undefined>>();
const waiting = new Map<number, (lines: readonly CodeLine[] | undefined) => void>();
let worker: Worker | undefined;
let last = 0;

function start(): Worker {
  const made = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  made.addEventListener('message', ({ data }: MessageEvent<HighlightResponse>) => {
    waiting.get(data.id)?.(data.lines);
    waiting.delete(data.id);
  });
  made.addEventListener('error', () => {
    // Show the code without highlighting.
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  });
  return made;
}

/** Highlights a text in a worker. Undefined if it is not highlighted. */
export function highlight(text: string, language: string): Promise<readonly CodeLine[] | undefined> {
  if (language === '' || text.length > MAX_TEXT) return Promise.resolve(undefined);
  const key = `${language}\n${text}`;
  const known = cache.get(key);
  if (known) return known;
  worker ??= start();
  const lines = new Promise<readonly CodeLine[] | undefined>((resolve) => {
    last += 1;
    waiting.set(last, resolve);
    worker?.postMessage({ id: last, text, language } satisfies HighlightRequest);
  });
  cache.set(key, lines);
  const oldest = cache.keys().next();
  if (cache.size > MAX_CACHED && !oldest.done) cache.delete(oldest.value);
  return lines;
}
