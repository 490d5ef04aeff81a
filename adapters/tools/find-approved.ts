import type { FoundPath, Intent, ToolContext } from '@klaus/core/agent';
import { toolFailed } from './tool-failed.ts';

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
  throw toolFailed(`${path} resolves to another file than before. Nothing was read.`, {
    retryable: true,
  });
}
