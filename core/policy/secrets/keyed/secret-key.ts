/**
 * The kind of secret that the name of a key indicates.
 * - `password`: what a person chose; words with a digit or a mark count too
 * - `token`: what a machine made; only what looks random counts
 */
export type KeyKind = 'password' | 'token';

const PASSWORD =
  /(?:password|passwort|passwd|passphrase|passcode|pwd)s?$|^(?:pass|passe|kennwort|wachtwoord|contrasena|senha|pw|userpass|dbpass|rootpw|bindpw|userpw|requirepass)$|(?:^|db|user|root|admin|ssh|become|smtp|mail|sudo|http|redis|ftp)pass$/;
const TOKEN =
  /(?:token|authtok|psk|secret|credential|apikey|secretkey|accesskey|privatekey|authkey|signingkey|masterkey|encryptionkey|oauth|bearer)s?$|^(?:masterauth|authorization|salt)$/;
/** What makes a `key` one that opens something. */
const QUALIFIED =
  /^(?:api|access|secret|private|auth|encryption|encrypt|encrypted|signing|sign|signature|master|account|shared|storage|app|client|session|cookie|nonce|in|license|hmac|jwt|aes|crypto?|subscription|instrumentation|deploy|admin|server|service|consumer|vault|webhook|write|ssh|tls|ssl|project|integration|routing|application|hash|security|function|host|maps|secure)$/;
/** Words at the end that say which one it is. */
const NEUTRAL =
  /^(?:base|value|val|plain|plaintext|data|prod|production|dev|development|testing|test|staging|stage|live|sandbox|old|new|current|next|previous|primary|secondary|default|main|backup|read|write|ro|rw|raw|b64|base64|encoded|hash|v)$/;
/** Keys that end like a secret one and are none. */
const HARMLESS = /^(?:bypass|compass|trespass|surpass|overpass|tokens?count|csrftoken|publickey|publishablekey)$/;

const known = new Map<string, KeyKind | undefined>();
/** A cache of keys: a text repeats a few keys. */
const MOST_KNOWN = 5_000;

/** What a key says of its value by its words; undefined for an ordinary key. */
export function toKeyKind(key: string): KeyKind | undefined {
  if (known.has(key)) return known.get(key);
  if (known.size >= MOST_KNOWN) known.clear();
  const kind = judgeKey(key);
  known.set(key, kind);
  return kind;
}

function judgeKey(key: string): KeyKind | undefined {
  const words = toWords(key);
  while (words.length > 1 && NEUTRAL.test(words.at(-1)!)) words.pop();
  const last = words.at(-1);
  if (last === undefined || HARMLESS.test(last)) return undefined;
  if (words.includes('public') || words.includes('publishable')) return undefined;
  if (PASSWORD.test(last)) return 'password';
  if (TOKEN.test(last)) return 'token';
  if (last === 'key' || last === 'keys') return QUALIFIED.test(words.at(-2) ?? '') ? 'token' : undefined;
  // Yarn's `npmAuthIdent`.
  if (last === 'ident' && words.at(-2) === 'auth') return 'token';
  // npm's `_auth`, Docker's `auth`.
  return last === 'auth' && words.length === 1 ? 'token' : undefined;
}

function toWords(key: string): string[] {
  return key
    .replaceAll(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}
