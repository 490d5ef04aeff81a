import { changesOfQuestion, changesOfTurn, type Engine } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { findHiddenChanges, findHiddenFiles } from '../workspace/hidden-files.ts';

export interface ChangedFileOptions {
  /** Relative to the workspace, with forward slashes. */
  path: string;
  /** Before or after the changes. */
  side: 'before' | 'after';
  /** Default: all turns. */
  turn?: number | 'all';
  /** Of the changes of a command that this question is about, instead of a turn. */
  approval?: string | undefined;
  /** A larger file has no content. */
  maxBytes: number;
}

/** A file of the changes of a session. `content`: null for a secret file, empty for a larger one. `size`: its bytes. */
export interface ChangedFile {
  size: number;
  content: Uint8Array | null;
}

/**
 * @param engine With the policy of the workspace.
 * @param root Absolute path of the workspace.
 * @throws KlausError `usage` for a turn or a question without effects, and for a path that has no file on that side of the
 *   changes, or one whose content is not stored.
 */
export async function readChangedFile(
  { engine, root }: { engine: Engine; root: string },
  session: string,
  { path, side, turn = 'all', approval, maxBytes }: ChangedFileOptions,
): Promise<ChangedFile> {
  const { changes, snapshots } =
    approval === undefined
      ? await changesOfTurn(engine, session, turn)
      : await changesOfQuestion(engine, session, approval);
  const entry = changes.find((change) => change.path === path)?.[side];
  if (entry?.type !== 'file') throw new KlausError('usage', `There is no file ${path} ${side} the changes.`);
  const isHidden = findHiddenChanges(changes, await findHiddenFiles(engine, root));
  if (isHidden(path)) return { size: entry.size, content: null };
  // The store reads complete contents.
  if (entry.size > maxBytes) return { size: entry.size, content: new Uint8Array() };
  if (!snapshots.isStored(entry, path)) {
    throw new KlausError('usage', `The content of ${path} is not stored.`, {
      hint: 'Klaus stores no content of folders that a tool rebuilds, unless `undo.cover` is `all`.',
    });
  }
  return { size: entry.size, content: await snapshots.content(entry) };
}
