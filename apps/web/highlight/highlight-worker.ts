import '../state/without-eval.ts';
import { common, createLowlight } from 'lowlight';
import { toCodeLines, type CodeLine, type SyntaxNode } from '@klaus/core/conversation';

export interface HighlightRequest {
  id: number;
  text: string;
  language: string;
}

/** The response. `lines`: undefined for an unknown language. */
export interface HighlightResponse {
  id: number;
  lines: CodeLine[] | undefined;
}

const lowlight = createLowlight(common);

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const { id, text, language } = data;
  const lines = lowlight.registered(language)
    ? toCodeLines(lowlight.highlight(language, text).children as readonly SyntaxNode[])
    : undefined;
  postMessage({ id, lines } satisfies HighlightResponse);
});
