import type { ToolOutput } from '@klaus/core/agent';
import type { StagedSecret } from './staged-secrets.ts';

const MAX_LISTED = 30;

/**
 * The result of a tool that refused secrets: file, line and rule, and how to allow a false positive.
 *
 * @param refusal The first line, such as `Not committed: it contains what looks like secrets.`
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
      'Remove them, and read them from the environment or an ignored file. For a false positive, the user can run: klaus secrets allow FINGERPRINT',
    ].join('\n'),
    isError: true,
    detail: { secrets: secrets.slice(0, MAX_LISTED) },
  };
}
