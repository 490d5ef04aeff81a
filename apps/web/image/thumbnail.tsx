import { useState } from 'react';
import { useRenderText } from '../text/render/render-text.ts';
import { FullView } from './full-view.tsx';
import './image.css';

interface ThumbnailProps {
  name: string;
  src: string;
  /** File name of a download. */
  file: string;
  className?: string;
}

/** An image that opens in full view. If it cannot be shown, its name and the reason. */
export function Thumbnail({ name, src, file, className = '' }: ThumbnailProps) {
  const t = useRenderText();
  const [isOpen, setOpen] = useState(false);
  const [broken, setBroken] = useState<string | undefined>();
  if (broken === src)
    return (
      <span className="image-broken muted">
        {name}: {t.image.failed}
      </span>
    );
  return (
    <>
      <button
        type="button"
        className={`thumbnail chequered bare ${className}`}
        aria-label={t.image.open(name)}
        title={name}
        onClick={() => setOpen(true)}
      >
        <img src={src} alt="" loading="lazy" decoding="async" onError={() => setBroken(src)} />
      </button>
      {isOpen ? <FullView name={name} src={src} file={file} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
