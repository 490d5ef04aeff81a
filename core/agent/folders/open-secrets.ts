import { withComparison } from '../../policy/index.ts';
import type { Engine } from '../loop/engine.ts';
import type { SecretSource } from '../ports/secrets.ts';

/** The secrets of all folders that commands of a session can read. */
export function openSecretsOf(
  engine: Pick<Engine, 'settings' | 'openSecrets' | 'compareNames'>,
  { workspace, readable = [] }: { workspace: string; readable?: readonly string[] },
): SecretSource {
  const names = engine.compareNames([workspace, ...readable]);
  const compared = (globs: readonly string[]): string[] => globs.map((glob) => withComparison(glob, names));
  const [patterns, hidden] = [compared(engine.settings.secretPatterns), compared(engine.settings.hiddenPatterns)];
  return engine.openSecrets(workspace, { patterns, hidden, ...(readable.length > 0 ? { readable } : {}) });
}
