import { useState } from 'react';
import { toImageAddress } from '../files/image-address.ts';
import { Thumbnail } from '../image/thumbnail.tsx';
import { formatBytes, formatCount } from '../text/format.ts';
import { useRenderText } from '../text/render/render-text.ts';
import './viewers.css';

const MODES = ['side', 'swipe', 'onion'] as const;
type Mode = (typeof MODES)[number];

interface ImageDiffProps {
  session: string;
  path: string;
  /** Undefined: the changes of all turns. */
  turn: number | undefined;
  /** The question about the change. */
  approval?: string;
  kind: 'created' | 'modified' | 'deleted';
  /** Bytes; null without an image on that side. */
  sizes: { before: number | null; after: number | null };
  version: string;
}

/** An image before and after a change: side by side, with a moving edge, or one over the other. */
export function ImageDiff({ session, path, turn, approval, kind, sizes, version }: ImageDiffProps) {
  const t = useRenderText();
  const [mode, setMode] = useState<Mode>('side');
  const [share, setShare] = useState(50);
  const before =
    kind === 'created' ? undefined : toImageAddress({ session, path, side: 'before', turn, approval, version });
  const after =
    kind === 'deleted' ? undefined : toImageAddress({ session, path, side: 'after', turn, approval, version });
  const canOverlay = before !== undefined && after !== undefined;
  return (
    <section className="image-diff column" aria-label={t.imageDiff.label(path)}>
      {canOverlay ? (
        <div className="segments" role="group" aria-label={t.imageDiff.modes}>
          {MODES.map((each) => (
            <button key={each} type="button" aria-pressed={each === mode} onClick={() => setMode(each)}>
              {t.imageDiff[each]}
            </button>
          ))}
        </div>
      ) : null}
      {mode === 'side' || !canOverlay ? (
        <div className="image-diff-sides">
          <Side name={t.imageDiff.before} path={path} src={before} bytes={sizes.before} />
          <Side name={t.imageDiff.after} path={path} src={after} bytes={sizes.after} />
        </div>
      ) : (
        <>
          <label className="line small">
            <span>{t.imageDiff.before}</span>
            <input
              type="range"
              min={0}
              max={100}
              value={share}
              aria-label={t.imageDiff.share}
              onChange={(event) => setShare(Number(event.target.value))}
            />
            <span>{t.imageDiff.after}</span>
          </label>
          <div className="image-diff-stack">
            <img className="chequered" src={before} alt={t.imageDiff.before} />
            <img
              className="chequered"
              src={after}
              alt={t.imageDiff.after}
              style={mode === 'swipe' ? { clipPath: `inset(0 ${100 - share}% 0 0)` } : { opacity: share / 100 }}
            />
          </div>
        </>
      )}
    </section>
  );
}

interface SideProps {
  name: string;
  path: string;
  src: string | undefined;
  bytes: number | null;
}

function Side({ name, path, src, bytes }: SideProps) {
  const t = useRenderText();
  const [size, setSize] = useState('');
  return (
    <figure
      className="image-diff-side"
      onLoadCapture={({ target }) => {
        if (!(target instanceof HTMLImageElement)) return;
        setSize(t.image.size(formatCount(target.naturalWidth), formatCount(target.naturalHeight)));
      }}
    >
      <figcaption className="small">
        {name}{' '}
        <span className="muted number">
          {[size, bytes === null ? '' : formatBytes(bytes)].filter(Boolean).join(' · ')}
        </span>
      </figcaption>
      {src === undefined ? (
        <p className="muted small">{t.imageDiff.none}</p>
      ) : (
        <Thumbnail name={`${path}, ${name}`} src={src} file={path.slice(path.lastIndexOf('/') + 1)} />
      )}
    </figure>
  );
}
