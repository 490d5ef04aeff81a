import 'katex/dist/katex.min.css';
import type { MarkupNode } from './markup.ts';
import type { MathRequest, MathResponse } from './math-worker.ts';

/** The elements of a formula, or why it has none: `large`, `timeout`, or the message of the parser. */
export type Formula = { nodes: MarkupNode[] } | { error: string };

const MAX_CACHED = 500;
/** Characters of a formula. */
const MAX_TEXT = 10_000;
/** Milliseconds after which the worker is replaced. */
const MAX_MS = 5_000;

const cache = new Map<string, Promise<Formula>>();
const waiting = new Map<number, (formula: Formula) => void>();
let worker: Worker | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let last = 0;

/** Renders a formula in a worker, so that none can block the page. */
export function renderMath(text: string, isDisplay: boolean): Promise<Formula> {
  if (text.length > MAX_TEXT) return Promise.resolve({ error: 'large' });
  const key = `${isDisplay ? 'display' : 'inline'}\n${text}`;
  const known = cache.get(key);
  if (known) return known;
  const formula = new Promise<Formula>((resolve) => {
    last += 1;
    waiting.set(last, resolve);
    worker ??= start();
    worker.postMessage({ id: last, text, isDisplay } satisfies MathRequest);
    timer ??= setTimeout(fail, MAX_MS);
  });
  cache.set(key, formula);
  const oldest = cache.keys().next();
  if (cache.size > MAX_CACHED && !oldest.done) cache.delete(oldest.value);
  return formula;
}

function start(): Worker {
  const made = new Worker(new URL('./math-worker.ts', import.meta.url), { type: 'module' });
  made.addEventListener('message', ({ data }: MessageEvent<MathResponse>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
    clearTimeout(timer);
    timer = waiting.size > 0 ? setTimeout(fail, MAX_MS) : undefined;
  });
  made.addEventListener('error', fail);
  return made;
}

/** Ends a worker that does not respond. Its formulas stay text. */
function fail(): void {
  worker?.terminate();
  worker = undefined;
  clearTimeout(timer);
  timer = undefined;
  for (const resolve of waiting.values()) resolve({ error: 'timeout' });
  waiting.clear();
}
