import type { Engine } from '../loop/engine.ts';
import type { SecretSource } from '../ports/secrets.ts';

/** The secrets of all folders that commands of a session can read. */
export function openSecretsOf(
  engine: Pick<Engine, 'settings' | 'openSecrets'>,
  { workspace, readable = [] }: { workspace: string; readable?: readonly string[] },
): SecretSource {
  const { secretPatterns: patterns, hiddenPatterns: hidden } = engine.settings;
  return engine.openSecrets(workspace, { patterns, hidden, ...(readable.length > 0 ? { readable } : {}) });
}
