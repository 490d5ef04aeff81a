import { useEffect, useRef } from 'react';

/** What was chosen from a list. It gets the focus, which the list had. */
export function ChosenTitle({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const title = useRef<HTMLParagraphElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <p ref={title} tabIndex={-1} dir="auto" className={`attach-chosen ${isCode ? 'mono' : ''}`}>
      {text}
    </p>
  );
}
