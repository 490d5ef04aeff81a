import type { ImagePart } from '@klaus/core/protocol';
import { Thumbnail } from './thumbnail.tsx';

/** An image of the log in small. It opens in full view. */
export function LogImage({ image: { mediaType, data }, name }: { image: ImagePart; name: string }) {
  const file = `${name.toLowerCase().replaceAll(/\W+/g, '-')}.${mediaType.slice(mediaType.indexOf('/') + 1)}`;
  return <Thumbnail name={name} src={`data:${mediaType};base64,${data}`} file={file} className="thumbnail-small" />;
}
