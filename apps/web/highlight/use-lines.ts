import { useEffect, useRef, useState } from 'react';
import { highlight } from './highlighter.ts';
import { toLanguage, type Line } from './line.ts';

interface Made {
  text: string;
  lines: readonly Line[];
}

/**
 * Lines of a text: plain at once, with colours as soon as the worker has made them. Of a text that grows, the lines
 * that had ended keep their colours meanwhile, and it is not sent again before the answer has come.
 */
export function useLines(text: string, language: string): readonly Line[] {
  const [made, setMade] = useState<Made | undefined>();
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

/** @param made What the worker made of this text, of an earlier state of it, or of another one. */
export function toShown(text: string, made: Made | undefined): readonly Line[] {
  if (made?.text === text) return made.lines;
  const isGrown = made !== undefined && text.startsWith(made.text);
  // The last line may have gone on.
  const kept = isGrown ? made.lines.slice(0, -1) : [];
  const rest = isGrown ? text.slice(made.text.lastIndexOf('\n') + 1) : text;
  return [...kept, ...rest.split('\n').map((line): Line => (line === '' ? [] : [{ kind: '', text: line }]))];
}
