import katex from 'katex';
import { messageOf } from '@klaus/core/message-of';
import { parseMarkup, type MarkupNode } from './markup.ts';

export interface MathRequest {
  id: number;
  text: string;
  isDisplay: boolean;
}

/** The response: the elements of a formula, or why it has none. */
export type MathResponse = { id: number } & ({ nodes: MarkupNode[] } | { error: string });

/** Characters of the markup of one formula. A hostile formula could fill the page. */
const MAX_MARKUP = 400_000;

addEventListener('message', ({ data }: MessageEvent<MathRequest>) => {
  const { id, text, isDisplay } = data;
  postMessage({ id, ...render(text, isDisplay) } satisfies MathResponse);
});

function render(text: string, isDisplay: boolean): { nodes: MarkupNode[] } | { error: string } {
  try {
    const markup = katex.renderToString(text, {
      displayMode: isDisplay,
      // No links, no images and no attributes of the author.
      trust: false,
      strict: 'ignore',
      maxExpand: 1_000,
      // In em.
      maxSize: 20,
      // Elements for the eyes, MathML for screen readers.
      output: 'htmlAndMathml',
    });
    const nodes = markup.length > MAX_MARKUP ? undefined : parseMarkup(markup);
    return nodes ? { nodes } : { error: 'large' };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
