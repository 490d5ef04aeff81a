import type { FileView } from '@klaus/sdk';
import type { RouteOf } from '../contract/index.ts';
import type { Context, Parsed, PartialHandlers } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { openWorkspace } from './files.ts';
import { findSession, openSession } from './sessions.ts';
import { sniffShown } from './sniff-shown.ts';

/** Most bytes of a file. */
const MAX_BYTES = 10 * 1_024 * 1_024;
/** Most paths of one request. */
const MAX_PATHS = 100;

export const contentHandlers = {
  async shownFile({ params, query }, context) {
    const { path } = params;
    const { size, content } = await readFile(context, { ...query, path });
    if (content === null) throw new Refusal(403, 'forbidden', { title: `The content of ${path} is hidden.` });
    if (content.length < size) throw notShown(path, `It is larger than ${MAX_BYTES} bytes.`);
    const mediaType = sniffShown(content);
    if (mediaType === undefined) {
      throw notShown(path, 'It is not a PNG, JPEG, GIF, WebP, AVIF or SVG image, and not a PDF document.');
    }
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

type Wanted = Parsed<RouteOf<'shownFile'>>['query'] & { path: string };

/** A file as it is, or before or after the changes of a session. */
async function readFile(
  context: Context,
  { path, side, turn, approval, ...query }: Wanted,
): Promise<Omit<FileView, 'path'>> {
  if (side === undefined) return (await openWorkspace(context, query)).read(path, { maxBytes: MAX_BYTES });
  if (query.session === undefined) throw new Refusal(400, 'usage', { title: '`side` needs a session.' });
  const session = await openSession(context, (await findSession(context, query.session)).id);
  return session.changedFile({ path, side, turn: turn ?? 'all', approval, maxBytes: MAX_BYTES });
}

function notShown(path: string, detail: string): Refusal {
  return new Refusal(415, 'usage', { title: `${path} cannot be shown.`, detail });
}
