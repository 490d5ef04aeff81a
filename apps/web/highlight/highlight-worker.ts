import { common, createLowlight } from 'lowlight';
import { toLines, type Line, type Node } from './line.ts';

export interface HighlightRequest {
  id: number;
  text: string;
  language: string;
}

/** The response. `lines`: undefined for an unknown language. */
export interface HighlightResponse {
  id: number;
  lines: Line[] | undefined;
}

const lowlight = createLowlight(common);

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const { id, text, language } = data;
  const lines = lowlight.registered(language)
    ? toLines(lowlight.highlight(language, text).children as readonly Node[])
    : undefined;
  postMessage({ id, lines } satisfies HighlightResponse);
});
