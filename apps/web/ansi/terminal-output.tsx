import { memo, useRef, type CSSProperties } from 'react';
import { toReadable, toTextOn } from './contrast.ts';
import type { Color } from './text-style.ts';
import { createScreen, type Screen, type ScreenLine, type Span } from './screen.ts';
import './terminal-output.css';

interface TerminalOutputProps {
  /** The complete output. Appended text is processed incrementally. */
  text: string;
  label: string;
  /** Number of rendered lines from the end. Default all. */
  last?: number;
}

/** The output of a command as a terminal would show it. */
export const TerminalOutput = memo(function TerminalOutput({ text, label, last }: TerminalOutputProps) {
  const lines = useScreen(text);
  const from = last === undefined ? 0 : Math.max(0, lines.length - last);
  return (
    <pre className="terminal" tabIndex={0} aria-label={label}>
      {lines.slice(from).map((line, at) => (
        <LineView key={from + at} line={line} isLast={from + at === lines.length - 1} />
      ))}
    </pre>
  );
});

/** The lines that a terminal would show. */
export function useScreen(text: string): readonly ScreenLine[] {
  const held = useRef<{ text: string; screen: Screen; lines: readonly ScreenLine[] } | undefined>(undefined);
  if (held.current?.text === text) return held.current.lines;
  const isMore = held.current !== undefined && text.startsWith(held.current.text);
  const screen = isMore ? held.current!.screen : createScreen();
  screen.write(isMore ? text.slice(held.current!.text.length) : text);
  const all = screen.lines();
  // A line feed at the end does not start a line.
  const lines = all.length > 1 && all.at(-1)!.spans.length === 0 ? all.slice(0, -1) : all;
  held.current = { text, screen, lines };
  return lines;
}

const LineView = memo(function LineView({ line, isLast }: { line: ScreenLine; isLast: boolean }) {
  return (
    <>
      {line.spans.map((span, at) => {
        const name = toClassName(span);
        const style = toStyle(span);
        return name === '' && !style ? (
          span.text
        ) : (
          <span key={at} className={name || undefined} style={style}>
            {span.text}
          </span>
        );
      })}
      {isLast ? '' : '\n'}
    </>
  );
});

function toClassName({ color, background, bold, dim, italic, underline, inverse }: Span): string {
  const [front, back] = inverse ? [background ?? 0, color ?? 7] : [color, background];
  return [
    typeof front === 'number' && typeof back !== 'string' && `ansi-${front}`,
    typeof back === 'number' && `ansi-on-${back}`,
    bold && 'ansi-bold',
    dim && front === undefined && 'ansi-dim',
    italic && 'ansi-italic',
    underline && 'ansi-underline',
  ]
    .filter(Boolean)
    .join(' ');
}

/** RGB colors, adjusted to be readable on the background of the terminal. */
function toStyle({ color, background, inverse }: Span): CSSProperties | undefined {
  const [front, back]: [Color | undefined, Color | undefined] = inverse
    ? [background ?? 0, color ?? 7]
    : [color, background];
  if (typeof back === 'string') {
    return { background: back, color: toTextOn(back, typeof front === 'string' ? front : undefined) };
  }
  // The 16 theme backgrounds are dark like the terminal, so that the same text colors are readable on them.
  return typeof front === 'string' ? { color: toReadable(front) } : undefined;
}
