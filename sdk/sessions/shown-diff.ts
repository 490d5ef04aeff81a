import { toChangeParts, toDiffText, type Engine, type Snapshots } from '@klaus/core/agent';
import type { TreeChange } from '@klaus/core/protocol';
import { findHiddenChanges, findHiddenFiles } from '../workspace/hidden-files.ts';
import { redactIn } from '../workspace/redact-in.ts';

/**
 * The changes as unified diff text, without the content of hidden files and without known secrets.
 *
 * @param reader.engine With the policy of the workspace. @param reader.root Absolute path of the workspace.
 */
export async function toShownDiff(
  { engine, root }: { engine: Engine; root: string },
  { changes, parts, snapshots }: { changes: readonly TreeChange[]; parts: readonly TreeChange[]; snapshots: Snapshots },
): Promise<string> {
  const isHidden = findHiddenChanges([...changes, ...parts], await findHiddenFiles(engine, root));
  const texts: string[] = [];
  for (const row of parts) {
    if (isHidden(row.path)) texts.push(toHidden(row));
    else texts.push(toDiffText(await toChangeParts(snapshots, [row])));
  }
  return redactIn(engine, root, texts.join(''));
}

function toHidden({ path, before, after }: TreeChange): string {
  const from = before === null ? '/dev/null' : `a/${path}`;
  const to = after === null ? '/dev/null' : `b/${path}`;
  return `--- ${from}\n+++ ${to}\nThe content of this secret file is not shown.\n`;
}
