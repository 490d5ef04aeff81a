import { createHash } from 'node:crypto';
import { appendFile, mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRegularFile, readForeignFile } from '@klaus/adapters/system';
import { type FileFinding, readSecretsAllow, scanFiles } from '@klaus/adapters/workspace';
import { createSecretScanner, isFingerprint, SECRETS_ALLOW } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';

/**
 * Scans a workspace, or some of its files, for secrets, except those in `.klaus/secrets-allow`. Files that Git ignores are
 * skipped unless they are named.
 *
 * @param options.paths Relative to the workspace.
 * @throws KlausError `usage` for a path that does not exist.
 */
export async function* scanSecrets(
  workspace: string,
  options: { paths?: readonly string[] } = {},
): AsyncGenerator<FileFinding> {
  const root = await realpath(workspace);
  const allow = await readSecretsAllow(root);
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  yield* scanFiles(root, { scanner: createSecretScanner({ digest, allow }), paths: options.paths ?? [] });
}

/**
 * Adds a finding to the allow-list of a workspace.
 *
 * @returns False when it was already listed.
 * @throws KlausError `usage` for an invalid fingerprint.
 */
export async function allowSecret(workspace: string, fingerprint: string): Promise<boolean> {
  const word = fingerprint.toLowerCase();
  if (!isFingerprint(word))
    throw new KlausError('usage', `${fingerprint} is not a fingerprint.`, {
      hint: 'It has 16 hexadecimal digits; klaus secrets scan shows it.',
    });
  const root = await realpath(workspace);
  if ((await readSecretsAllow(root)).has(word)) return false;
  const path = join(root, SECRETS_ALLOW);
  await mkdir(dirname(path), { recursive: true });
  const before = isRegularFile(path) ? (await readForeignFile(path)).text : '';
  await appendFile(path, `${before === '' || before.endsWith('\n') ? '' : '\n'}${word}\n`);
  return true;
}
