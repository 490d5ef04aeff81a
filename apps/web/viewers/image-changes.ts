import { hunksOf, type EventOf, type Hunk, type TreeChange } from '@klaus/core/protocol';
import { isImagePath } from './file-kind.ts';

/** A changed image for its comparison. */
export interface ImageChange {
  path: string;
  kind: TreeChange['kind'];
  /** Bytes; null without an image on that side. */
  sizes: { before: number | null; after: number | null };
}

/** The changed images that are not text, by path. */
export function toImageChanges(changes: readonly TreeChange[]): Map<string, ImageChange> {
  return new Map(
    changes.flatMap(({ path, kind, before, after }) => {
      const isImage = isPicture(path) && [before, after].every((it) => !it || it.type === 'file');
      return isImage
        ? [[path, { path, kind, sizes: { before: before?.size ?? null, after: after?.size ?? null } }]]
        : [];
    }),
  );
}

/** An SVG is shown as text. */
const isPicture = (path: string) => isImagePath(path) && !/\.svg$/i.test(path);

const KINDS: { readonly [K in Hunk['kind']]?: TreeChange['kind'] } = {
  created: 'created',
  deleted: 'deleted',
  binary: 'modified',
};

/** Images that a question shows at most; the review lists all changes. */
const MAX_IMAGES = 8;

/** The images among the changes of a command that a question is about. Their sizes are in the notes of the hunks. */
export function toQuestionImages(asked: EventOf<'approval.asked'>): ImageChange[] {
  if (asked.subject.kind !== 'changes') return [];
  const found = hunksOf(asked).flatMap(({ path, kind: of }): ImageChange[] => {
    const kind = KINDS[of];
    return kind !== undefined && isPicture(path) ? [{ path, kind, sizes: { before: null, after: null } }] : [];
  });
  return found.slice(0, MAX_IMAGES);
}
