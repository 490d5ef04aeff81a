import { createHash } from 'node:crypto';
import { toolFailed } from '../../tool-failed.ts';
import type { StagedTree } from '../staging.ts';

/**
 * Checks that a commit object is the one that Git made from the decided tree.
 *
 * @throws KlausError `tool.failed` if it is not.
 */
export function checkPayload(
  payload: string,
  { commit, staged }: { commit: string; staged: Pick<StagedTree, 'tree'> },
): void {
  const bytes = Buffer.from(payload);
  const hash = createHash(commit.length === 64 ? 'sha256' : 'sha1');
  const id = hash.update(`commit ${bytes.length}\0`).update(bytes).digest('hex');
  if (id !== commit || !payload.startsWith(`tree ${staged.tree}\n`))
    throw toolFailed('the commit object is not the expected one');
}

/** Adds a signature to a commit object, as Git does: after the headers, with its lines indented. */
export function addSignature(payload: string, signature: string): string {
  const end = payload.indexOf('\n\n');
  // A commit of a repository with SHA-256 has another header.
  const isLong = /^tree [0-9a-f]{64}\n/.test(payload);
  const lines = signature.replaceAll('\r', '').trimEnd().split('\n').join('\n ');
  return `${payload.slice(0, end)}\n${isLong ? 'gpgsig-sha256' : 'gpgsig'} ${lines}${payload.slice(end)}`;
}
