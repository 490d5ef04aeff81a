import type { Tokens } from 'marked';
import { useState } from 'react';
import { Diagram } from '../diagram/diagram.tsx';
import { Code } from '../highlight/code.tsx';
import { MathView } from '../math/math.tsx';
import { useRenderText } from '../text/render/render-text.ts';
import { lazyComponent } from '../ui/lazy-component.tsx';

const HtmlPreview = lazyComponent(async () => (await import('../preview/html-preview.tsx')).HtmlPreview);

/** A block of code. Diagrams and formulas are drawn when their fence is closed. */
export function Fence({ code }: { code: Tokens.Code }) {
  const { text, lang = '', raw } = code;
  const [name = ''] = lang.trim().toLowerCase().split(/\s/);
  if (isClosed(raw)) {
    if (name === 'mermaid') return <Diagram text={text} />;
    if (name === 'math') return <MathView text={text} isDisplay />;
    if (name === 'html') return <HtmlFence text={text} language={lang} />;
  }
  return <Code text={text} language={lang} />;
}

/** False for a fence that is streamed, or that is cut off. */
function isClosed(raw: string): boolean {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  if (mark === undefined) return true;
  const lines = raw.trimEnd().split('\n');
  return lines.length > 1 && lines.at(-1)!.trim().startsWith(mark);
}

function HtmlFence({ text, language }: { text: string; language: string }) {
  const t = useRenderText();
  const [isShown, setShown] = useState(false);
  return (
    <>
      <Code text={text} language={language}>
        <button
          type="button"
          className="fence-preview bare small"
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {t.preview.show}
        </button>
      </Code>
      {isShown ? (
        <div className="fence-page">
          <HtmlPreview html={text} />
        </div>
      ) : null}
    </>
  );
}
