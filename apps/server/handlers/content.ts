import type { PartialHandlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { openWorkspace } from './files.ts';
import { sniffImage } from './sniff-image.ts';

/** Most bytes of an image. */
const MAX_IMAGE = 10 * 1_024 * 1_024;
/** Most paths of one request. */
const MAX_PATHS = 100;

export const contentHandlers = {
  async image({ params, query }, context) {
    const files = await openWorkspace(context, query);
    const { size, content } = await files.read(params.path, { maxBytes: MAX_IMAGE });
    if (content === null) throw new Refusal(403, 'forbidden', { title: `The content of ${params.path} is hidden.` });
    if (content.length < size) throw notShown(params.path, `It is larger than ${MAX_IMAGE} bytes.`);
    const mediaType = sniffImage(content);
    if (mediaType === undefined) throw notShown(params.path, 'It is not a PNG, JPEG, GIF, WebP, AVIF or SVG image.');
    return { mediaType, content };
  },

  async existingFiles({ query }, context) {
    const files = await openWorkspace(context, query);
    const given = [...new Set(query.paths.split('\n').filter(Boolean))].slice(0, MAX_PATHS);
    const found: { given: string; path: string }[] = [];
    for (const path of given) {
      const known = await files.locate(path);
      if (known !== undefined) found.push({ given: path, path: known });
    }
    return { files: found };
  },
} satisfies PartialHandlers;

function notShown(path: string, detail: string): Refusal {
  return new Refusal(415, 'usage', { title: `${path} cannot be shown as an image.`, detail });
}
