import type { Given, Wanted } from './highlight-worker.ts';
import type { Line } from './line.ts';

/** Characters beyond which code stays plain: the worker would be busy for seconds. */
const MAX_TEXT = 400_000;

/** Texts whose lines are kept. */
const MAX_KEPT = 200;

const kept = new Map<string, Promise<readonly Line[] | undefined>>();
const waiting = new Map<number, (lines: readonly Line[] | undefined) => void>();
let worker: Worker | undefined;
let last = 0;

function start(): Worker {
  const made = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  made.addEventListener('message', ({ data }: MessageEvent<Given>) => {
    waiting.get(data.id)?.(data.lines);
    waiting.delete(data.id);
  });
  made.addEventListener('error', () => {
    // Code without colours is still code.
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  });
  return made;
}

/** The lines of a text with their kinds, made in a worker; undefined where it stays plain. */
export function highlight(text: string, language: string): Promise<readonly Line[] | undefined> {
  if (language === '' || text.length > MAX_TEXT) return Promise.resolve(undefined);
  const key = `${language}\n${text}`;
  const known = kept.get(key);
  if (known) return known;
  worker ??= start();
  const lines = new Promise<readonly Line[] | undefined>((resolve) => {
    last += 1;
    waiting.set(last, resolve);
    worker?.postMessage({ id: last, text, language } satisfies Wanted);
  });
  kept.set(key, lines);
  const oldest = kept.keys().next();
  if (kept.size > MAX_KEPT && !oldest.done) kept.delete(oldest.value);
  return lines;
}
