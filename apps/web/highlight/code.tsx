import { memo, type ReactNode } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import { useText } from '../text/text.ts';
import type { CodeLine } from '@klaus/core/conversation';
import { useLines } from './use-lines.ts';
import './code.css';

interface CodeProps {
  text: string;
  language: string;
  /** Buttons beside that for copying. */
  children?: ReactNode;
}

export const Code = memo(function Code({ text, language, children }: CodeProps) {
  const lines = useLines(text, language);
  const t = useText();
  return (
    <figure className="code">
      <figcaption className="code-head line muted">
        <span>{language || t.code.plain}</span>
        {children === undefined ? (
          <CopyButton text={text} />
        ) : (
          <span className="inline">
            {children}
            <CopyButton text={text} />
          </span>
        )}
      </figcaption>
      <pre tabIndex={0} aria-label={t.code.label(language || t.code.plain)}>
        <code>
          {lines.map((line, at) => (
            <span key={at}>
              <Pieces line={line} />
              {'\n'}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
});

export const Pieces = memo(function Pieces({ line }: { line: CodeLine }) {
  return line.map(({ kind, text }, at) =>
    kind === '' ? (
      text
    ) : (
      <span key={at} className={toTokenClass(kind)}>
        {text}
      </span>
    ),
  );
});

/** Kinds of highlight.js by their CSS class. */
const KINDS = {
  keyword: ['keyword', 'selector-tag', 'operator'],
  number: ['literal', 'number', 'symbol'],
  string: ['string', 'regexp', 'addition'],
  comment: ['comment', 'quote', 'meta'],
  title: ['title', 'name', 'section', 'function_'],
  type: ['type', 'built_in', 'class_'],
  attr: ['attr', 'attribute', 'property', 'variable'],
  deletion: ['deletion'],
};
const CLASSES = new Map(Object.entries(KINDS).flatMap(([name, kinds]) => kinds.map((kind) => [kind, name] as const)));

/** The class of a piece of code; '' for plain text. */
export const toTokenClass = (kind: string) => (kind === '' ? '' : `tok-${CLASSES.get(kind) ?? 'plain'}`);
