import { Info, Lightbulb, MessageSquareWarning, OctagonAlert, TriangleAlert } from 'lucide-react';
import type { Token, Tokens } from 'marked';
import type { ReactNode } from 'react';
import { useRenderText } from '../text/render/render-text.ts';

const KINDS = {
  note: { Icon: Info, look: 'accent' },
  tip: { Icon: Lightbulb, look: 'good' },
  important: { Icon: MessageSquareWarning, look: 'accent' },
  warning: { Icon: TriangleAlert, look: 'warn' },
  caution: { Icon: OctagonAlert, look: 'bad' },
} as const;

type Kind = keyof typeof KINDS;

/** The alert that a quote is, and its text; undefined for a quote. */
export function toAlert({ text }: Tokens.Blockquote): { kind: Kind; text: string } | undefined {
  const found = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i.exec(text);
  return found ? { kind: found[1]!.toLowerCase() as Kind, text: text.slice(found[0].length) } : undefined;
}

interface AlertProps {
  kind: Kind;
  tokens: Token[];
  renderAll: (tokens: Token[]) => ReactNode;
}

export function Alert({ kind, tokens, renderAll }: AlertProps) {
  const t = useRenderText();
  const { Icon, look } = KINDS[kind];
  return (
    <div className={`markdown-alert markdown-alert-${look}`} role="note" aria-label={t.alerts[kind]}>
      <p className={`markdown-alert-title line ${look}`} aria-hidden>
        <Icon size={14} />
        {t.alerts[kind]}
      </p>
      {renderAll(tokens)}
    </div>
  );
}
