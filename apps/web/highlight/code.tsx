import { memo } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import { useText } from '../text/text.ts';
import type { Line } from './line.ts';
import { useLines } from './use-lines.ts';
import './code.css';

/** A highlighted block of code with a copy button. */
export const Code = memo(function Code({ text, language }: { text: string; language: string }) {
  const lines = useLines(text, language);
  const t = useText();
  return (
    <figure className="code">
      <figcaption className="code-head">
        <span>{language || t.code.plain}</span>
        <CopyButton text={text} />
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

/** One highlighted line of code. */
export const Pieces = memo(function Pieces({ line }: { line: Line }) {
  return line.map(({ kind, text }, at) =>
    kind === '' ? (
      text
    ) : (
      <span key={at} className={`tok-${toClass(kind)}`}>
        {text}
      </span>
    ),
  );
});

const CLASSES: Record<string, string> = {
  keyword: 'keyword',
  'selector-tag': 'keyword',
  operator: 'keyword',
  literal: 'number',
  number: 'number',
  symbol: 'number',
  string: 'string',
  regexp: 'string',
  addition: 'string',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  title: 'title',
  name: 'title',
  section: 'title',
  function_: 'title',
  type: 'type',
  built_in: 'type',
  class_: 'type',
  attr: 'attr',
  attribute: 'attr',
  property: 'attr',
  variable: 'attr',
  params: 'plain',
  deletion: 'deletion',
};

/** The CSS class of a kind. Many kinds share one. */
function toClass(kind: string): string {
  return CLASSES[kind] ?? 'plain';
}
