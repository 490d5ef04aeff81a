import { headOf } from '@klaus/core/cut-text';
import { Download, FileCode2, Maximize2 } from 'lucide-react';
import { memo, useEffect, useId, useMemo, useState } from 'react';
import { saveText } from '../actions/save-text.ts';
import { FullView } from '../image/full-view.tsx';
import { formatCount } from '../text/format.ts';
import { useRenderText, type RenderText } from '../text/render/render-text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { IconButton } from '../ui/button.tsx';
import type { Picture } from './render-diagram.ts';
import { useDiagramTheme } from './use-diagram-theme.ts';
import './diagram.css';

/** Characters of a diagram. */
const MAX_DIAGRAM = 50_000;

/** A diagram of Mermaid as an image, with its source. The source is shown until it is drawn, and if it has an error. */
export const Diagram = memo(function Diagram({ text }: { text: string }) {
  const t = useRenderText();
  const id = useId();
  const picture = usePicture(text);
  const [isSource, setSource] = useState(false);
  const [isFull, setFull] = useState(false);
  const drawn = picture && 'svg' in picture ? picture : undefined;
  const name = drawn ? toName(drawn, t) : t.diagram.label;
  const src = useMemo(() => drawn && `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn.svg)}`, [drawn]);
  const isSourceShown = isSource || !drawn;
  return (
    <figure className="code diagram" aria-label={name}>
      <figcaption className="code-head line muted">
        <span className="ellipsis">{name}</span>
        <span className="inline">
          {drawn ? (
            <>
              <IconButton
                label={t.diagram.source}
                icon={FileCode2}
                aria-pressed={isSource}
                aria-controls={isSourceShown ? id : undefined}
                onClick={() => setSource(!isSource)}
              />
              <IconButton
                label={t.diagram.save}
                icon={Download}
                onClick={() => saveText(drawn.svg, { name: 'diagram.svg', type: 'image/svg+xml' })}
              />
              <IconButton label={t.diagram.open} icon={Maximize2} onClick={() => setFull(true)} />
            </>
          ) : null}
          <CopyButton text={text} />
        </span>
      </figcaption>
      {picture && 'error' in picture ? (
        <div className="diagram-failed small" role="alert">
          <p>{t.diagram.failed}</p>
          <p className="mono wrap">{toReason(picture.error, t)}</p>
        </div>
      ) : null}
      {src === undefined ? null : (
        <button
          type="button"
          className="diagram-picture bare"
          aria-expanded={isSource}
          onClick={() => setSource(!isSource)}
        >
          <img src={src} alt={name} />
        </button>
      )}
      {isSourceShown ? (
        <pre id={id} tabIndex={0} aria-label={t.diagram.label} aria-busy={picture === undefined}>
          <code>{text}</code>
        </pre>
      ) : null}
      {isFull && src !== undefined ? (
        <FullView name={name} src={src} file="diagram.svg" isPlain onClose={() => setFull(false)} />
      ) : null}
    </figure>
  );
});

function usePicture(text: string): Picture | undefined {
  const theme = useDiagramTheme();
  const [picture, setPicture] = useState<Picture | undefined>();
  useEffect(() => {
    let isShown = true;
    const draw = async (): Promise<Picture> => {
      if (text.length > MAX_DIAGRAM) return { error: 'large' };
      const { renderDiagram } = await import('./render-diagram.ts');
      return renderDiagram(text, theme);
    };
    void draw()
      .catch((error: unknown): Picture => ({ error: String(error) }))
      .then((it) => {
        if (isShown) setPicture(it);
      });
    return () => {
      isShown = false;
    };
  }, [text, theme]);
  return picture;
}

/** The title of the author, or the kind of the diagram. */
function toName({ title, kind }: Extract<Picture, { svg: string }>, t: RenderText): string {
  const words = title.trim() || kind.replace(/-v\d+$/, '').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  return words === '' ? t.diagram.label : t.diagram.described(headOf(words, 200));
}

function toReason(error: string, t: RenderText): string {
  if (error === 'timeout') return t.diagram.late;
  if (error === 'invalid') return t.diagram.invalid;
  if (error === 'large') return t.diagram.large(formatCount(MAX_DIAGRAM));
  return headOf(error, 2_000);
}
