import { useEffect, useRef, useState } from 'react';
import { highlight } from './highlighter.ts';
import { toLanguage, type CodeLine } from '@klaus/core/conversation';

interface Highlighted {
  text: string;
  lines: readonly CodeLine[];
}

/**
 * The lines of a text, highlighted as soon as the worker responds. Complete lines of a growing text stay highlighted,
 * and the text is not sent again before the response arrives.
 */
export function useLines(text: string, language: string): readonly CodeLine[] {
  const [made, setMade] = useState<Highlighted | undefined>();
  const name = toLanguage(language);
  const wanted = useRef({ text, name });
  wanted.current = { text, name };
  const isAsking = useRef(false);
  useEffect(() => {
    const ask = async () => {
      isAsking.current = true;
      const asked = wanted.current;
      const lines = await highlight(asked.text, asked.name);
      isAsking.current = false;
      if (lines) setMade({ text: asked.text, lines });
      if (wanted.current.text !== asked.text || wanted.current.name !== asked.name) await ask();
    };
    if (!isAsking.current) void ask();
  }, [text, name]);
  return toShown(text, made);
}

/** @param made The last response of the worker: for this text, a prefix of it or another text. */
export function toShown(text: string, made: Highlighted | undefined): readonly CodeLine[] {
  if (made?.text === text) return made.lines;
  const isGrown = made !== undefined && text.startsWith(made.text);
  // The last line may be longer now.
  const reused = isGrown ? made.lines.slice(0, -1) : [];
  const rest = isGrown ? text.slice(made.text.lastIndexOf('\n') + 1) : text;
  return [...reused, ...rest.split('\n').map((line): CodeLine => (line === '' ? [] : [{ kind: '', text: line }]))];
}
