import { Download } from 'lucide-react';
import { useState } from 'react';
import { formatCount } from '../text/format.ts';
import { useRenderText } from '../text/render/render-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import './image.css';

interface FullViewProps {
  /** The accessible name of the dialog and of the image. */
  name: string;
  src: string;
  /** File name of the download. */
  file: string;
  /** True for an image on the background of the page. Default: transparent parts are chequered. */
  isPlain?: boolean;
  onClose: () => void;
}

/** An image over the page: as large as the window allows, or in its own size. */
export function FullView({ name, src, file, isPlain = false, onClose }: FullViewProps) {
  const t = useRenderText();
  const [isActual, setActual] = useState(false);
  const [size, setSize] = useState('');
  return (
    <Dialog title={name} className="full-view" onClose={onClose}>
      <div className="full-view-tools line ruled">
        <div className="segments" role="group" aria-label={name}>
          <button type="button" aria-pressed={!isActual} onClick={() => setActual(false)}>
            {t.image.fit}
          </button>
          <button type="button" aria-pressed={isActual} onClick={() => setActual(true)}>
            {t.image.actual}
          </button>
        </div>
        <span className="full-view-size muted small number grow">{size}</span>
        <a className="icon-button" href={src} download={file} aria-label={t.image.save} title={t.image.save}>
          <Download size={14} />
        </a>
      </div>
      <div
        className={`full-view-box ${isActual ? 'full-view-actual' : ''} ${isPlain ? '' : 'chequered'}`}
        tabIndex={0}
        role="group"
        aria-label={name}
      >
        <img
          src={src}
          alt={name}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize(t.image.size(formatCount(naturalWidth), formatCount(naturalHeight)))
          }
        />
      </div>
    </Dialog>
  );
}
