import type { ToolOutput } from '@klaus/core/agent';
import type { StagedSecret } from './staged-secrets.ts';

/** Findings that are listed. */
const MAX_LISTED = 30;

/**
 * The answer of a tool that refused because of secrets: file, line, rule, and how to allow what is none.
 *
 * @param refusal The first line, such as `Not committed: it holds what looks like secrets.`
 */
export function describeSecrets(refusal: string, secrets: readonly StagedSecret[]): ToolOutput {
  const lines = secrets
    .slice(0, MAX_LISTED)
    .map(({ path, line, rule, fingerprint }) => `${path}:${line} ${rule} (fingerprint ${fingerprint})`);
  if (secrets.length > MAX_LISTED) lines.push(`[… ${secrets.length - MAX_LISTED} more …]`);
  return {
    text: [
      refusal,
      ...lines,
      'Take them out and read them from the environment or an ignored file. If one is none, the user can allow it with: klaus secrets allow FINGERPRINT',
    ].join('\n'),
    isError: true,
    detail: { secrets: secrets.slice(0, MAX_LISTED) },
  };
}
