/** Where findings are allowed: one fingerprint a line, in the workspace. */
export const SECRETS_ALLOW = '.klaus/secrets-allow';

/** Reads an allow-list: a fingerprint a line; what follows a `#` is a comment. Other lines allow nothing. */
export function fromSecretsAllow(text: string): Set<string> {
  const words = text.split('\n').map((line) => line.replace(/#.*/, '').trim().toLowerCase());
  return new Set(words.filter(isFingerprint));
}

export function isFingerprint(word: string): boolean {
  return /^[0-9a-f]{16}$/.test(word);
}
