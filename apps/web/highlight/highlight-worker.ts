import { common, createLowlight } from 'lowlight';
import { toLines, type Line, type Node } from './line.ts';

/** Asks for the lines of a text in a language. */
export interface Wanted {
  id: number;
  text: string;
  language: string;
}

/** The lines; undefined when the language is not known. */
export interface Given {
  id: number;
  lines: Line[] | undefined;
}

const lowlight = createLowlight(common);

addEventListener('message', ({ data }: MessageEvent<Wanted>) => {
  const { id, text, language } = data;
  const lines = lowlight.registered(language)
    ? toLines(lowlight.highlight(language, text).children as readonly Node[])
    : undefined;
  postMessage({ id, lines } satisfies Given);
});
