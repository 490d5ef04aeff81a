import { memo, useMemo } from 'react';
import { toSpans, type Span } from './ansi.ts';
import './terminal-output.css';

/** Output of a command as a terminal would show it. */
export const TerminalOutput = memo(function TerminalOutput({ text, label }: { text: string; label: string }) {
  const spans = useMemo(() => toSpans(text), [text]);
  return (
    <pre className="terminal" tabIndex={0} aria-label={label}>
      {spans.map((span, at) => {
        const name = toClassName(span);
        return name === '' ? (
          span.text
        ) : (
          <span key={at} className={name}>
            {span.text}
          </span>
        );
      })}
    </pre>
  );
});

function toClassName({ color, background, bold, dim, italic, underline }: Span): string {
  return [
    color !== undefined && `ansi-${color}`,
    background !== undefined && `ansi-on-${background}`,
    bold && 'ansi-bold',
    dim && 'ansi-dim',
    italic && 'ansi-italic',
    underline && 'ansi-underline',
  ]
    .filter(Boolean)
    .join(' ');
}
