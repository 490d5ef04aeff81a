import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HostFiles } from '@klaus/core/agent';
import { isSecretFile, type SecretValue, toSecretValues } from '@klaus/core/policy';

/** Files of the home folder that hold credentials. */
const OF_HOME = [
  '.netrc',
  '.git-credentials',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.aws/credentials',
  '.docker/config.json',
  '.config/gh/hosts.yml',
  '.config/glab-cli/config.yml',
  '.config/gcloud/application_default_credentials.json',
  '.kube/config',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.terraform.d/credentials.tfrc.json',
  '.azure/msal_token_cache.json',
  '.vault-token',
  '.cache/huggingface/token',
  '.sentryclirc',
];
/** Files of Klaus's state that hold tokens and keys. */
const OF_STATE = ['server/token', 'keys.json', 'mcp-logins.json', 'mcp.json'];

interface Read {
  changedAt: number;
  values: readonly SecretValue[];
}

const known = new Map<string, Read>();

/**
 * Values of the user's credential files and of Klaus's own tokens: no log and no model may get them. A file is read again
 * after it changed.
 *
 * @param state Klaus's state folder.
 */
export function readOwnSecrets(files: Pick<HostFiles, 'read' | 'userHome'>, state: string): SecretValue[] {
  const paths = [
    ...OF_HOME.map((name) => join(files.userHome, name)),
    ...listKeys(join(files.userHome, '.ssh')),
    ...OF_STATE.map((name) => join(state, name)),
  ];
  return paths.flatMap((path) => readValues(path, files));
}

function readValues(path: string, files: Pick<HostFiles, 'read'>): readonly SecretValue[] {
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (state === undefined) return [];
  const before = known.get(path);
  if (before?.changedAt === state.ctimeMs) return before.values;
  const file = files.read(path);
  const values = file === undefined ? [] : toSecretValues(path, file.text);
  known.set(path, { changedAt: state.ctimeMs, values });
  return values;
}

/** The private keys of a folder. */
function listKeys(folder: string): string[] {
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => isSecretFile(path.slice(1)));
  } catch {
    return [];
  }
}
