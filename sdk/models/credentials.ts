import { stripCredentials } from '@klaus/adapters/sandboxes';
import type { Configuration } from '../config/configuration.ts';

/** Names of variables that hold credentials. */
const CREDENTIAL = /(?:_|^)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)$/;

/** Values of the environment and of the configuration, used or not, that must not reach a log or a model. */
export function findCredentials(
  env: Readonly<Record<string, string | undefined>>,
  { values, unusedKeys }: Pick<Configuration, 'values' | 'unusedKeys'>,
): { name: string; value: string }[] {
  // Variables that reach commands, whose output may show them.
  const passed: readonly string[] = values.sandbox.env;
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value && (CREDENTIAL.test(name) || (passed.includes(name) && looksSecret(name, value))))
      found.set(value, toRuleName(name));
  }
  for (const [name, value] of [...Object.entries(unusedKeys), ...Object.entries(values.keys)]) {
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
