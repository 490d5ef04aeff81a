import type { ToolContext } from '@klaus/core/agent';
import { quotePath } from '../shell/quote.ts';
import { toolFailed } from '../tool-failed.ts';

/**
 * The paths as quoted words of a command line; the workspace if there are none.
 *
 * @throws KlausError `tool.failed` for a missing path, `workspace.outside`.
 */
export async function toPathWords({ workspace }: ToolContext, paths: readonly string[] = []): Promise<string> {
  const words: string[] = [];
  for (const path of paths.length === 0 ? ['.'] : paths) {
    const { relative } = await workspace.resolve(path);
    if (!(await workspace.stat(path))) throw toolFailed(`${path} does not exist.`);
    words.push(quotePath(relative));
  }
  return words.join(' ');
}
