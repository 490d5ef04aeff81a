import type { TreeChange } from '@klaus/core/protocol';
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
      const isImage =
        isImagePath(path) && !/\.svg$/i.test(path) && [before, after].every((it) => !it || it.type === 'file');
      return isImage
        ? [[path, { path, kind, sizes: { before: before?.size ?? null, after: after?.size ?? null } }]]
        : [];
    }),
  );
}
