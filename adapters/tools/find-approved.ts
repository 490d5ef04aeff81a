import { KlausError } from '@klaus/core/protocol';
import type { FoundPath, Intent, ToolContext } from '@klaus/core/agent';

/**
 * Finds a path again that the gate has judged.
 *
 * @throws KlausError `tool.failed` when it leads to another place than it did then.
 */
export async function findJudged(
  path: string,
  { find }: Pick<ToolContext, 'find'>,
  { access: [judged] }: Pick<Intent, 'access'>,
): Promise<FoundPath> {
  const found = await find(path);
  if (judged?.kind === 'fs' && judged.path === found.absolute) return found;
  throw new KlausError('tool.failed', `${path} leads to another place than before; nothing was read.`, {
    retryable: true,
  });
}
