import { stripCredentials } from '@klaus/adapters/sandboxes';

/** Names of variables that hold credentials. */
const CREDENTIAL = /(?:_|^)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)$/;

/**
 * Values of the environment and of the configuration that no log and no model may see.
 *
 * @param passed Names of variables that reach commands, whose output may show them.
 */
export function findCredentials(
  env: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, unknown>>,
  passed: readonly string[],
): { name: string; value: string }[] {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value && (CREDENTIAL.test(name) || (passed.includes(name) && looksSecret(name, value))))
      found.set(value, toRuleName(name));
  }
  for (const [name, value] of Object.entries(configured)) {
    if (typeof value === 'string' && value !== '') found.set(value, toRuleName(name));
  }
  return [...found].map(([value, name]) => ({ name, value }));
}

function looksSecret(name: string, value: string): boolean {
  return stripCredentials({ [name]: value })[name] === undefined;
}

function toRuleName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
