import { KlausError } from '@klaus/core/protocol';
import type { FoundPath, Intent, ToolContext } from '@klaus/core/agent';

/**
 * Finds a path again after the decision of the gate.
 *
 * @throws KlausError `tool.failed` if it resolves to another file than before.
 */
export async function findApproved(
  path: string,
  { find }: Pick<ToolContext, 'find'>,
  { access: [approved] }: Pick<Intent, 'access'>,
): Promise<FoundPath> {
  const found = await find(path);
  if (approved?.kind === 'fs' && approved.path === found.absolute) return found;
  throw new KlausError('tool.failed', `${path} resolves to another file than before. Nothing was read.`, {
    retryable: true,
  });
}
