import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConfiguredHosts } from '@klaus/core/policy';
import type { NetworkPreset } from '@klaus/core/protocol';

type Environment = Readonly<Record<string, string | undefined>>;

/** The registries that the user configured, in the environment and in files of the home folder; never in the project. */
export interface Registries {
  /** As `toNetAuthorities` takes them. */
  hosts: ConfiguredHosts;
  /** Variables with which tools find the default registries: their configuration is not in the sandbox. */
  variables: Readonly<Record<string, string>>;
}

/** A registry with the variable that makes it the default one. */
interface Found {
  preset: NetworkPreset;
  url: string;
  variable?: string;
}

/** @param env The user's environment. */
export function findRegistries(env: Environment): Registries {
  const home = env['HOME'] || homedir();
  const found = [...findNpm(env, home), ...findPip(env, home), ...findGo(env, home), ...findCargo(env, home)];
  const hosts: Partial<Record<NetworkPreset, string[]>> = {};
  const variables: Record<string, string> = {};
  for (const { preset, url: text, variable } of found) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) continue;
    (hosts[preset] ??= []).push(url.protocol === 'http:' && url.port === '' ? `${url.host}:80` : url.host);
    // A command must not see the password of a registry.
    if (variable !== undefined && url.username === '' && url.password === '') variables[variable] ??= text;
  }
  return { hosts, variables };
}

/** @source https://docs.npmjs.com/cli/configuring-npm/npmrc */
function findNpm(env: Environment, home: string): Found[] {
  const given = env['npm_config_registry'] || env['NPM_CONFIG_REGISTRY'];
  const file = env['npm_config_userconfig'] || env['NPM_CONFIG_USERCONFIG'] || join(home, '.npmrc');
  const variable = 'npm_config_registry';
  const ofFile = readMatches(file, /^\s*((?:@[^:\s]+:)?registry)\s*=\s*"?([^"\s]+)/gm).map(
    ([, key = '', url = '']): Found => ({ preset: 'npm', url, ...(key === 'registry' ? { variable } : {}) }),
  );
  return [...(given ? [{ preset: 'npm' as const, url: given, variable }] : []), ...ofFile];
}

/** @source https://pip.pypa.io/en/stable/topics/configuration/, https://docs.astral.sh/uv/reference/environment/ */
function findPip(env: Environment, home: string): Found[] {
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config');
  const files = [env['PIP_CONFIG_FILE'], join(config, 'pip/pip.conf'), join(home, '.pip/pip.conf'), '/etc/pip.conf'];
  const ofFiles = files.flatMap((file) =>
    readMatches(file, /^\s*(index[-_]url|extra[-_]index[-_]url)\s*[=:]\s*((?:\S+|\n\s+(?=https?:))+)/gm).flatMap(
      ([, key = '', urls = '']) =>
        urls.split(/\s+/).map((url): Found => ({
          preset: 'pypi',
          url,
          variable: key.startsWith('extra') ? 'PIP_EXTRA_INDEX_URL' : 'PIP_INDEX_URL',
        })),
    ),
  );
  const names = ['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX'];
  const given = names.flatMap((variable) =>
    (env[variable] ?? '').split(/\s+/).map((url): Found => ({ preset: 'pypi', url, variable })),
  );
  return [...given, ...ofFiles];
}

/** The variable is that of `findModuleProxy`. @source https://go.dev/ref/mod#environment-variables */
function findGo(env: Environment, home: string): Found[] {
  const file = env['GOENV'] || join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'go/env');
  const [ofFile] = readMatches(file, /^GOPROXY=(.*)$/gm);
  const text = env['GOPROXY'] || ofFile?.[1] || '';
  return text.split(/[,|]/).map((url): Found => ({ preset: 'go', url: url.trim() }));
}

/** @source https://doc.rust-lang.org/cargo/reference/source-replacement.html */
function findCargo(env: Environment, home: string): Found[] {
  const folder = env['CARGO_HOME'] || join(home, '.cargo');
  const name = ['config.toml', 'config'].find((each) => existsSync(join(folder, each)));
  if (name === undefined) return [];
  return readMatches(join(folder, name), /^\s*(?:registry|index)\s*=\s*"(?:sparse\+)?(https?:[^"]+)"/gm).map(
    ([, url = '']): Found => ({ preset: 'crates', url }),
  );
}

/** The matches in a file; none if it cannot be read. */
function readMatches(file: string | undefined, pattern: RegExp): RegExpExecArray[] {
  if (!file) return [];
  try {
    return [...readFileSync(file, 'utf8').matchAll(pattern)];
  } catch {
    return [];
  }
}
