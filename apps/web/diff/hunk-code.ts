import { toLanguage, type CodeLine, type DiffLine } from '@klaus/core/conversation';
import type { Hunk } from '@klaus/core/protocol';
import { highlight } from '../highlight/highlighter.ts';
import { createStore, useStore, type Store } from '../state/store.ts';

/** Lines of a hunk that are highlighted together, as soon as one of them is shown. */
const BLOCK = 1_000;

/** The highlighted lines of a block, by their index in the hunk. Empty until the worker responds. */
type Block = Store<ReadonlyMap<number, CodeLine>>;

const NONE: Block = createStore(new Map());
const blocks = new WeakMap<Hunk, Map<number, Block>>();

/** The highlighted pieces of a line of a hunk; undefined until they are known, and for an unknown language. */
export function useHunkCode(hunk: Hunk | undefined, { at }: Pick<DiffLine, 'at'>): CodeLine | undefined {
  const block = hunk ? toBlock(hunk, Math.floor(at / BLOCK)) : NONE;
  return useStore(block).get(at);
}

function toBlock(hunk: Hunk, number: number): Block {
  let known = blocks.get(hunk);
  if (!known) blocks.set(hunk, (known = new Map()));
  let block = known.get(number);
  if (!block) {
    known.set(number, (block = createStore(new Map())));
    void fill(block, hunk, number * BLOCK);
  }
  return block;
}

/** Highlights both sides of a block, each as one text. */
async function fill(block: Block, { path, lines }: Hunk, start: number): Promise<void> {
  const language = toLanguage(path);
  if (language === '') return;
  const found = new Map<number, CodeLine>();
  // Unchanged lines are taken from the new side.
  for (const own of ['-', '+'] as const) {
    const shown = lines
      .slice(start, start + BLOCK)
      .map((line, at) => ({ line, at: start + at }))
      .filter(({ line }) => line.startsWith(own) || line.startsWith(' '));
    if (own === '-' && !shown.some(({ line }) => line.startsWith('-'))) continue;
    const code = await highlight(shown.map(({ line }) => line.slice(1)).join('\n'), language);
    shown.forEach(({ at }, index) => {
      const pieces = code?.[index];
      if (pieces) found.set(at, pieces);
    });
  }
  block.set(found);
}
