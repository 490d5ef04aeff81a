import { matchesGlob } from '../glob.ts';
import { foldPath } from '../names/fold-path.ts';
import { toList, toSet } from '../word-list.ts';

/** Endings by which the file that shows what belongs into an `.env` is known. */
const PUBLIC_ENV = /\.(?:example|sample|template|tmpl|tpl|dist|schema|defaults?)$/;
const NAMES = toSet(
  '.netrc _netrc .pypirc .git-credentials .pgpass .my.cnf .mylogin.cnf .htpasswd .s3cfg .boto .vault-token .vault_pass .dockercfg credentials.json client_secret.json application_default_credentials.json secrets.yml secrets.yaml secrets.json secrets.toml .secrets .secrets.toml secrets.properties secret.properties key.properties keystore.properties auth.json .credentials.json local.settings.json .terraformrc terraform.rc credentials.tfrc.json pgpass.conf rclone.conf .passwd-s3fs .msmtprc .fetchmailrc .sentryclirc .databrickscfg .renviron .vault_password vault_pass.txt kubeconfig master.key id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk',
);
const ENDINGS = /\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|asc\.key)$/;
const TAILS = toList(
  '.aws/credentials .docker/config.json .kube/config .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .mc/config.json .oci/config .azure/accesstokens.json .azure/msal_token_cache.json .config/gcloud/credentials.db .config/gh/hosts.yml .cargo/credentials .cargo/credentials.toml .gem/credentials .terraform.d/credentials.tfrc.json',
);
const TAIL_NAMES = new Set(TAILS.map((tail) => tail.slice(tail.lastIndexOf('/') + 1)));
/** Keys that are public, and lists of whom to trust. */
const PUBLIC_KEY =
  /\.pub$|(?:^|[._-])(?:pub|public|cert|chain|fullchain|ca|cacert|bundle)\.pem$|^known_hosts|^authorized_keys/;

/**
 * True for a file that by its name holds credentials. Such files are empty in a sandbox, and their values are
 * redacted from everything that a model reads.
 *
 * Not among them, because builds read them or they are no secret as such: `.npmrc` and `.yarnrc` (registries; a
 * token in them is found by its form), `.envrc` (a script), `*.tfvars` and `*.tfstate` (Terraform needs them),
 * `*.crt`, and certificates by name among `*.pem`. The user's list takes in what should be.
 *
 * @param relative Relative to the workspace, with forward slashes. Compared folded.
 * @param patterns Further globs of the user; see `withComparison`.
 */
export function isSecretFile(relative: string, patterns: readonly string[] = []): boolean {
  const path = foldPath(relative);
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (patterns.some((pattern) => matchesGlob(relative, pattern))) return true;
  if (/^\.env(?:$|[._-])/.test(name)) return !PUBLIC_ENV.test(name);
  if (/^\.dev\.vars(?:$|\.)/.test(name)) return !PUBLIC_ENV.test(name);
  if (name.endsWith('.kubeconfig')) return true;
  if (name.endsWith('.env')) return !/^(?:example|sample|template|defaults?)\.env$/.test(name);
  if (PUBLIC_KEY.test(name)) return false;
  if (NAMES.has(name) || ENDINGS.test(name)) return true;
  if (/(?:^|\/)\.(?:ssh|gnupg)\//.test(path)) return name !== 'config';
  if (/^(?:service[-_]?account.*|.*-credentials|.*_credentials|.*firebase-adminsdk.*)\.json$/.test(name)) return true;
  return TAIL_NAMES.has(name) && TAILS.some((tail) => path === tail || path.endsWith(`/${tail}`));
}

/**
 * Globs, in ripgrep's manner, that match every name for which {@link isSecretFile} can be true: a fast first filter.
 * They are matched without regard to case.
 */
export const SECRET_FILE_GLOBS: readonly string[] = [
  '.env*',
  '.dev.vars*',
  '*.kubeconfig',
  '*.env',
  ...NAMES,
  ...['pem', 'key', 'p8', 'p12', 'pfx', 'jks', 'keystore', 'kdbx', 'ppk'].map((ending) => `*.${ending}`),
  '**/.ssh/**',
  '**/.gnupg/**',
  'service[-_]account*.json',
  'serviceaccount*.json',
  '*credentials.json',
  '*firebase-adminsdk*.json',
  ...TAILS.map((tail) => `**/${tail}`),
];

export const SECRET_FILE_RULES = JSON.stringify([
  [...NAMES],
  TAILS,
  [ENDINGS, PUBLIC_ENV, PUBLIC_KEY].map(({ source }) => source),
  isSecretFile.toString(),
]);
