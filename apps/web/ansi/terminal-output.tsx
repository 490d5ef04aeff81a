import { memo, useRef, type CSSProperties } from 'react';
import { toReadable, toTextOn } from './contrast.ts';
import {
  createOutputScreen,
  type Color,
  type OutputLine,
  type OutputScreen,
  type TextStyle,
} from '@klaus/core/conversation';
import './terminal-output.css';

interface TerminalOutputProps {
  /** The complete output. Appended text is processed incrementally. */
  text: string;
  label: string;
  /** Number of rendered lines from the end. Default all. */
  last?: number;
}

export const TerminalOutput = memo(function TerminalOutput({ text, label, last }: TerminalOutputProps) {
  const lines = useScreen(text);
  const from = last === undefined ? 0 : Math.max(0, lines.length - last);
  return (
    <pre className="terminal wrap" tabIndex={0} aria-label={label}>
      {lines.slice(from).map((line, at) => (
        <LineView key={from + at} line={line} isLast={from + at === lines.length - 1} />
      ))}
    </pre>
  );
});

export function useScreen(text: string): readonly OutputLine[] {
  const held = useRef<{ text: string; screen: OutputScreen; lines: readonly OutputLine[] } | undefined>(undefined);
  if (held.current?.text === text) return held.current.lines;
  const isMore = held.current !== undefined && text.startsWith(held.current.text);
  const screen = isMore ? held.current!.screen : createOutputScreen();
  screen.write(isMore ? text.slice(held.current!.text.length) : text);
  const all = screen.lines();
  // A line feed at the end does not start a line.
  const lines = all.length > 1 && all.at(-1)!.spans.length === 0 ? all.slice(0, -1) : all;
  held.current = { text, screen, lines };
  return lines;
}

/** One line of an output with its colours. */
export const LineView = memo(function LineView({ line, isLast }: { line: OutputLine; isLast: boolean }) {
  return (
    <>
      {line.spans.map(({ text, ...style }, at) =>
        Object.keys(style).length === 0 ? (
          text
        ) : (
          <span key={at} style={toStyle(style)}>
            {text}
          </span>
        ),
      )}
      {isLast ? '' : '\n'}
    </>
  );
});

function toStyle({ color, background, bold, dim, italic, underline, inverse }: TextStyle): CSSProperties {
  const [front, back] = inverse ? [background ?? 0, color ?? 7] : [color, background];
  return {
    ...(bold && { fontWeight: 700 }),
    ...(italic && { fontStyle: 'italic' }),
    ...(underline && { textDecoration: 'underline' }),
    ...(back !== undefined && { background: typeof back === 'string' ? back : `var(--ansi-on-${back})` }),
    color: toTextColor(front ?? (dim && DIM), back),
  };
}

/** A dimmed text has the light black of the theme. */
const DIM = 8;

/** The text colour. An RGB colour is adjusted to be readable on the background. */
function toTextColor(front: Color | undefined, back: Color | undefined): string | undefined {
  if (typeof back === 'string') return toTextOn(back, typeof front === 'string' ? front : undefined);
  // The 16 theme backgrounds are near that of the terminal, so that the same text colours are readable on them.
  if (typeof front === 'string') return `light-dark(${toReadable(front, 'light')}, ${toReadable(front, 'dark')})`;
  return front === undefined ? undefined : `var(--ansi-${front})`;
}
