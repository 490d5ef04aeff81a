import { stripCredentials } from '@klaus/adapters/sandboxes';
import { toSecretValues } from '@klaus/core/policy';
import { SETTING_KEYS, SETTINGS, type Setting, type SettingKey } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';

/** Names of variables that hold credentials. */
const CREDENTIAL = /(?:_|^)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)$/;

/** Names of options that hold credentials: `apiKey`, `secretAccessKey`, `x-api-key`, `authorization`. */
const SECRET_OPTION = /key|token|secret|password|authorization|cookie|credential/i;

const SECRETS: readonly SettingKey[] = SETTING_KEYS.filter((key) => (SETTINGS[key] as Setting).secret === true);

/** Values of the environment and of the configuration, used or not, that must not reach a log or a model. */
export function findCredentials(
  env: Readonly<Record<string, string | undefined>>,
  configuration: Pick<Configuration, 'get' | 'values' | 'unusedKeys'>,
): { name: string; value: string }[] {
  const { values, unusedKeys } = configuration;
  // Variables that reach commands, whose output may show them.
  const passed: readonly string[] = values.sandbox.env;
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value && (CREDENTIAL.test(name) || (passed.includes(name) && looksSecret(name, value))))
      found.set(value, toRuleName(name));
  }
  const given = [...findOptions(values.aiSdk), ...findServerSecrets(values.servers), ...findProxyPasswords(env)];
  const settings = SECRETS.map((key): [string, unknown] => [key.replace(/^keys\./, ''), configuration.get(key)]);
  for (const [name, value] of [...Object.entries(unusedKeys), ...settings, ...given]) {
    if (typeof value !== 'string' || value === '') continue;
    found.set(value, toRuleName(name));
    // The password of an address is a secret by itself.
    const parts = value.includes('://') ? toSecretValues(name, JSON.stringify([value])) : [];
    for (const part of parts) found.set(part.value, toRuleName(name));
  }
  return [...found].map(([value, name]) => ({ name, value }));
}

/** The value of a key for tools by the variable that sets it; undefined if there is none. Other secrets are for Klaus alone. */
export function findSecret(configuration: Pick<Configuration, 'get'>, name: string): string | undefined {
  const key = SECRETS.find((each) => each.startsWith('keys.') && (SETTINGS[each] as Setting).env === name);
  const value = key && configuration.get(key);
  return typeof value === 'string' ? value : undefined;
}

/** Keys in the options of AI SDK providers, also in headers. */
function findOptions(value: unknown, name = ''): [name: string, value: string][] {
  if (typeof value === 'string') return SECRET_OPTION.test(name) ? [[name, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => findOptions(inner, key));
}

/** Keys of servers of models, and secrets in their headers, addresses and proxies. */
function findServerSecrets(servers: Configuration['values']['servers'] = {}): [name: string, value: string][] {
  return Object.entries(servers).flatMap(([server, { key, headers = {}, baseUrl, proxy }]) => {
    const named = [...new URL(baseUrl).searchParams, ...Object.entries(headers)];
    const secret = named.filter(([name]) => SECRET_OPTION.test(name));
    // A header can have a scheme before the secret.
    const values = secret.flatMap(([, value]) => [value, value.slice(value.indexOf(' ') + 1)]);
    const login = proxy?.includes('@') === true ? proxy : undefined;
    return [key, ...values, login].flatMap((value): [string, string][] => (value ? [[server, value]] : []));
  });
}

function findProxyPasswords(env: Readonly<Record<string, string | undefined>>): [name: string, value: string][] {
  return Object.entries(env).flatMap(([name, value]): [string, string][] =>
    /_proxy$/i.test(name) && value?.includes('@') ? [[name, value]] : [],
  );
}

function looksSecret(name: string, value: string): boolean {
  return stripCredentials({ [name]: value })[name] === undefined;
}

function toRuleName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
