import { foldPath } from '../names/fold-path.ts';
import { isSecretFile, SECRET_FILE_RULES } from './secret-files.ts';
import { toList, toSet } from '../word-list.ts';

/** Settings that hold credentials of a user or of a machine. In a workspace builds read some of them. */
const NAMES = toSet(
  '.envrc .npmrc npmrc .yarnrc .yarnrc.yml .pnpmrc pip.conf pip.ini .gemrc .condarc credentials credentials.toml access_tokens.db credentials.db msal_token_cache.bin service_principal_entries.json nuget.config settings-security.xml',
);
/** `conda-meta/state` holds variables of an environment of conda. */
const TAILS = toList(
  'pnpm/rc gh/hosts.yml glab-cli/config.yml go/env helm/repositories.yaml helm/registry/config.json config/hub docker/config.json kube/config gem/credentials cargo/credentials cargo/credentials.toml composer/auth.json conda-meta/state conf/settings.xml m2/settings.xml gradle/gradle.properties gradle/init.gradle pypoetry/auth.toml containers/auth.json',
);
const TAIL_NAMES = new Set(TAILS.map((tail) => tail.slice(tail.lastIndexOf('/') + 1)));
const TAIL = new RegExp(`(?:^|/)\\.?(?:${TAILS.join('|').replaceAll('.', '\\.')})$`);
/** Folders of which every file is a credential. */
const FOLDERS =
  /(?:^|\/)(?:uv\/credentials|gcloud\/legacy_credentials|\.azure|\.aws|\.kube|\.password-store|keyrings)\//;
/** Test keys and settings that come with a published toolchain: no secret, and hundreds of files. */
const PUBLISHED = [
  /(?:^|\/)lib\/python[\d.]+\/(?:.*\/)?tests?\/.*\.(?:pem|key|p12|pfx)$/,
  /(?:^|\/)src\/crypto\/.*\.(?:pem|key|p12|pfx)$/,
  /(?:^|\/)src\/.*\/testdata\/.*\.(?:pem|key|p12|pfx)$/,
  /(?:^|\/)roots\.pem$/,
  /(?:^|\/)go\.env$/,
];

/**
 * True for a file outside of a workspace that by its name holds credentials: what {@link isSecretFile} knows, and
 * the settings of package managers and clouds. For the parts of a toolchain that commands see.
 *
 * @param path With forward slashes; the more of its folders it has, the more is known. Compared folded.
 */
export function isCredentialFile(path: string): boolean {
  const lower = foldPath(path);
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  const isNamed = NAMES.has(name) || (TAIL_NAMES.has(name) && TAIL.test(lower)) || FOLDERS.test(lower);
  return (isNamed || isSecretFile(path)) && !PUBLISHED.some((pattern) => pattern.test(lower));
}

/** The rules of {@link isCredentialFile}: cached results are valid for these rules only. */
export const CREDENTIAL_RULES = JSON.stringify([
  SECRET_FILE_RULES,
  [...NAMES],
  TAILS,
  [FOLDERS, ...PUBLISHED].map(({ source }) => source),
  isCredentialFile.toString(),
]);
