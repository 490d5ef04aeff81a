import { createElement, memo, useEffect, useState, type ReactNode } from 'react';
import { useRenderText, type RenderText } from '../text/render/render-text.ts';
import type { MarkupElement, MarkupNode } from './markup.ts';
import type { Formula } from './render-math.ts';
import './math.css';

interface MathProps {
  text: string;
  isDisplay: boolean;
}

/** A formula. Its source is shown until it is rendered, and instead of a formula with an error. */
export const MathView = memo(function MathView({ text, isDisplay }: MathProps) {
  const t = useRenderText();
  const [formula, setFormula] = useState<Formula | undefined>();
  useEffect(() => {
    let isShown = true;
    const render = async () => {
      const { renderMath } = await import('./render-math.ts');
      const it = await renderMath(text, isDisplay);
      if (isShown) setFormula(it);
    };
    // Without the program of a newer version of the page, the source is shown.
    render().catch(() => undefined);
    return () => {
      isShown = false;
    };
  }, [text, isDisplay]);
  const Box = isDisplay ? 'div' : 'span';
  const className = isDisplay ? 'math math-display' : 'math';
  if (!formula || 'error' in formula) {
    const error = formula && t.math.failed(toReason(formula.error, t));
    return (
      <Box className={className}>
        <code className={error === undefined ? '' : 'math-failed'} title={error}>
          {text}
        </code>
        {error === undefined ? null : <span className="unseen"> {error}</span>}
      </Box>
    );
  }
  const scroll = isDisplay ? { tabIndex: 0, role: 'group', 'aria-label': t.math.formula } : {};
  return (
    <Box className={className} {...scroll}>
      {toElements(formula.nodes)}
    </Box>
  );
});

function toReason(error: string, t: RenderText): string {
  if (error === 'large') return t.math.large;
  return error === 'timeout' ? t.math.late : error;
}

function toElements(nodes: readonly MarkupNode[]): ReactNode {
  return nodes.map((node, at) => (typeof node === 'string' ? node : toElement(node, at)));
}

/** Elements and attributes that KaTeX creates. Nothing else becomes an element. */
const TAGS = new Set(
  `span svg path line math semantics annotation mrow mi mn mo ms mtext mspace msup msub msubsup mfrac mroot msqrt mover
   munder munderover mtable mtr mtd mlabeledtr mstyle mpadded mphantom menclose mglyph`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `aria-hidden accent accentunder columnalign columnlines columnspacing depth display displaystyle d encoding fence
   height linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation
   preserveAspectRatio rowlines rowspacing rspace scriptlevel separator side stretchy symmetric viewBox voffset width
   x1 x2 y1 y2`.split(/\s+/),
);
/** Properties of the style of an element. None of them loads anything. */
const STYLES = new Set(
  `background-color border-bottom-width border-color border-right-width border-style border-top-width border-width
   bottom color height left margin-left margin-right margin-top max-width min-width padding-left padding-right position
   top vertical-align width`.split(/\s+/),
);

function toElement({ tag, attributes, children }: MarkupElement, key: number): ReactNode {
  if (!TAGS.has(tag)) return null;
  const props: Record<string, unknown> = { key };
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'class') props['className'] = value;
    else if (name === 'style') props['style'] = toStyle(value);
    else if (ATTRIBUTES.has(name)) props[name] = value;
  }
  return createElement(tag, props, ...[toElements(children)].flat());
}

function toStyle(text: string): Record<string, string> {
  const style: Record<string, string> = {};
  for (const rule of text.split(';')) {
    const at = rule.indexOf(':');
    const name = rule.slice(0, at).trim();
    const value = rule.slice(at + 1).trim();
    if (!STYLES.has(name) || /url|expression|fixed/i.test(value)) continue;
    style[name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())] = value;
  }
  return style;
}
