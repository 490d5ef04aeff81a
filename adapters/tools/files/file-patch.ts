import type { Hunk } from './hunk.ts';

/** What a patch does to one file. */
export interface FilePatch {
  kind: 'add' | 'update' | 'delete';
  path: string;
  /** New path, for a file that is moved. */
  moveTo?: string;
  hunks: Hunk[];
  /** Text of an added file. */
  content?: string;
  /** Permission bits, where the patch names them. */
  mode?: number;
}
