import { useEffect, useState } from 'react';
import { highlight } from './highlighter.ts';
import { toLanguage, type Line } from './line.ts';

/** Lines of a text: plain at once, with colours as soon as the worker has made them. */
export function useLines(text: string, language: string): readonly Line[] {
  const [made, setMade] = useState<{ text: string; lines: readonly Line[] } | undefined>();
  const name = toLanguage(language);
  useEffect(() => {
    let isWanted = true;
    void highlight(text, name).then((lines) => {
      if (isWanted && lines) setMade({ text, lines });
    });
    return () => {
      isWanted = false;
    };
  }, [text, name]);
  if (made?.text === text) return made.lines;
  return text.split('\n').map((line) => (line === '' ? [] : [{ kind: '', text: line }]));
}
