import { ROUTES } from '@klaus/server/contract';
import { toPath } from '@klaus/server/client';
import { basePath } from '../state/base-path.ts';

interface ImageAddress {
  session: string;
  path: string;
  /** Before or after the changes of a turn; undefined: the file as it is. */
  side?: 'before' | 'after';
  turn?: number;
  /** Before or after the changes that this question is about. */
  approval?: string;
  /** Changes when the file may have changed. */
  version?: string;
}

/** The address of an image of the workspace of a session. */
export function toImageAddress({ session, path, side, turn, approval, version }: ImageAddress): string {
  const given = { params: { path }, query: { session, side, turn, approval } };
  const address = `${basePath}${toPath(ROUTES.shownFile.path, given)}`;
  return version === undefined ? address : `${address}#${encodeURIComponent(version)}`;
}
