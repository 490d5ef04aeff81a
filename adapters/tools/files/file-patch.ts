import type { Hunk } from './hunk.ts';

/** The change of one file by a patch. */
export interface FilePatch {
  kind: 'add' | 'update' | 'delete';
  path: string;
  /** New path of a moved file. */
  moveTo?: string;
  hunks: Hunk[];
  /** Text of an added file. */
  content?: string;
  /** Permission bits, if the patch specifies them. */
  mode?: number;
}
