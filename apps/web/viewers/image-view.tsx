import { useState } from 'react';
import { toImageAddress } from '../files/image-address.ts';
import { Thumbnail } from '../image/thumbnail.tsx';
import { formatCount } from '../text/format.ts';
import { useRenderText } from '../text/render/render-text.ts';
import './viewers.css';

interface ImageViewProps {
  session: string;
  path: string;
  /** Changes when the file may have changed. */
  version: string;
}

/** An image of the workspace with its size in pixels. */
export function ImageView({ session, path, version }: ImageViewProps) {
  const t = useRenderText();
  const [size, setSize] = useState('');
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    <div
      className="image-view column"
      onLoadCapture={({ target }) => {
        if (!(target instanceof HTMLImageElement)) return;
        setSize(t.image.size(formatCount(target.naturalWidth), formatCount(target.naturalHeight)));
      }}
    >
      <Thumbnail name={path} src={toImageAddress({ session, path, version })} file={name} />
      <p className="muted small number">{size}</p>
    </div>
  );
}
