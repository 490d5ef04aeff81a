import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { ExecRequest } from '@klaus/core/agent';
import { stripCredentials } from './host/strip-credentials.ts';
import { findHidden } from './home/user-caches.ts';
import { findRegistries } from './network/registries.ts';
import { findModuleProxy } from './module-proxy.ts';
import type { ProjectHome } from './project-home.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { words } from './words.ts';

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'FTP_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** Variables with files and folders of certificates that programs trust in addition to those of the system. */
const CERTIFICATES = words(`
  SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS PIP_CERT REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO
  CARGO_HTTP_CAINFO npm_config_cafile AWS_CA_BUNDLE DENO_CERT BUNDLE_SSL_CA_CERT
`);

/** Variables that the sandbox sets. */
const OWN = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'PWD', 'OLDPWD', 'SHLVL', '_'];

export interface PassedEnvironment {
  variables: Record<string, string>;
  /** Variables without secrets, which may be passed as arguments. They override those of a request. */
  settings: Record<string, string>;
  /** Absolute paths in the variables, which commands have to see. */
  files: string[];
  /** Absolute paths of folders in `files` that commands see empty. */
  hidden: string[];
}

/** The environment that a command gets from the user; without caches if there is no `project`. */
export function passEnvironment(
  { env = process.env, variables = [] }: Pick<SandboxOptions, 'env' | 'variables'>,
  { network = false }: Pick<ExecRequest, 'network'>,
  project?: Pick<ProjectHome, 'userCaches' | 'variables'>,
): PassedEnvironment {
  const passed = toPassedEnvironment(env, { names: variables, network: network !== false });
  const registries = network === false ? {} : findRegistries(env).variables;
  const proxy = findModuleProxy(env, { network });
  // The user may remove a cache at any time.
  const caches = (project?.userCaches ?? []).filter(({ folder, shown }) => shown === folder && existsSync(folder));
  return {
    ...passed,
    settings: { ...project?.variables, ...registries, ...proxy?.variables },
    files: [...passed.files, ...(proxy ? [proxy.folder] : []), ...caches.map(({ folder }) => folder)],
    hidden: caches.flatMap(findHidden),
  };
}

/**
 * The variables of the user that a command gets: the named ones, and, with a network, proxies and certificates.
 *
 * @param names Names, or prefixes that end in `*`. A variable that looks like a credential has to be named exactly.
 */
function toPassedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { names, network }: { names: readonly string[]; network: boolean },
): Pick<PassedEnvironment, 'variables' | 'files'> {
  const stripped = stripCredentials(env);
  const variables: Record<string, string> = {};
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && !OWN.includes(name)) variables[name] = value;
  };
  for (const name of names) {
    if (!name.endsWith('*')) add(name, env[name]);
    else for (const [each, value] of Object.entries(stripped)) if (each.startsWith(name.slice(0, -1))) add(each, value);
  }
  if (!network) return { variables, files: [] };
  for (const name of [...PROXIES, ...CERTIFICATES]) add(name, env[name]);
  const files = CERTIFICATES.flatMap((name) => variables[name] ?? []).filter(
    (path) => isAbsolute(path) && existsSync(path),
  );
  return { variables, files: [...new Set(files)] };
}
