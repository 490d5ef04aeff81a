import type { Intent, ToolContext } from '@klaus/core/agent';
import type { Access } from '@klaus/core/protocol';
import { toolFailed } from '../../tool-failed.ts';

/** The variable with the address, name and password of a git server. */
const NAME = 'GIT_CREDENTIALS';

/** What runs git with the credentials of a server: options before its command, and variables of its process alone. */
export interface GitCredentials {
  options: readonly string[];
  env: Readonly<Record<string, string>>;
}

/**
 * A credential helper for one server. It answers only `get`, and its text has no secret: the values are in variables of
 * git's process, which no sandbox sees.
 */
const HELPER = `!f() { test "$1" = get || exit 0; printf 'username=%s\\npassword=%s\\n' "$KLAUS_GIT_NAME" "$KLAUS_GIT_WORD"; }; f`;

type Context = Pick<ToolContext, 'secret' | 'hasSecret'>;

/** The access to the credentials that a call to a server needs; none if the user has set none for it. */
export function toCredentialAccess(context: Context, url: string): Access[] {
  if (!context.hasSecret(NAME) || !URL.canParse(url)) return [];
  const { hostname } = new URL(url);
  const access: Access = { kind: 'secret', name: NAME, host: hostname };
  // The value names its own server. It is compared here and goes nowhere: the gate decides about its use.
  return isFor(context.secret({ access: [access] }, NAME, hostname), url) ? [access] : [];
}

/** The credentials for a server, if the intent names them. @throws KlausError `denied`, `auth`, `tool.failed`. */
export function findGitCredentials(context: Context, intent: Pick<Intent, 'access'>, url: string): GitCredentials {
  const isNamed = intent.access.some((one) => one.kind === 'secret' && one.name === NAME);
  if (!isNamed) return { options: [], env: {} };
  const { origin, hostname } = new URL(url);
  const value = context.secret(intent, NAME, hostname);
  if (!isFor(value, url)) throw toolFailed(`${NAME} is for another server.`);
  const { username, password } = new URL(value);
  const words = { KLAUS_GIT_NAME: decodeURIComponent(username), KLAUS_GIT_WORD: decodeURIComponent(password) };
  // A line break would be another line of the helper's answer.
  if (/[\r\n\0]/.test(Object.values(words).join(''))) throw toolFailed(`${NAME} contains a control character.`);
  // The empty value removes the helpers of the user.
  return { options: ['-c', 'credential.helper=', '-c', `credential.${origin}.helper=${HELPER}`], env: words };
}

/** True for the same scheme, host and port. Credentials are sent over HTTPS only. */
function isFor(value: string, url: string): boolean {
  if (!URL.canParse(value)) return false;
  const own = new URL(value);
  return own.protocol === 'https:' && own.origin === new URL(url).origin;
}
