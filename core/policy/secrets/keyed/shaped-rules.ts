import type { SecretRule } from '../secret-rule.ts';
import type { KeyKind } from './secret-key.ts';
import { isSecretText } from './secret-text.ts';
import { toList } from '../../word-list.ts';

interface Shape {
  name: string;
  /** With a group `value`. Every repetition has a bound. */
  pattern: RegExp;
  keywords: readonly string[];
  /** What the value counts as. Default `password`. */
  kind?: KeyKind;
  /** True where the shape alone decides. */
  isCertain?: boolean;
}

/** Programs with a short option for a password. */
const PROGRAMS =
  'mysql\\w{0,10}|mariadb[\\w-]{0,10}|mycli|sshpass|7za?|unzip|zip|(?:docker|podman|buildah|skopeo|helm[ \\t]registry|az|oc|nerdctl)[ \\t]login|mongo\\w{0,10}|sqlcmd|redis-cli|valkey-cli|ldap\\w{3,8}|rabbitmqadmin|cqlsh';

/** Secrets that a place in a line marks, and no key with a separator. */
const SHAPES: readonly Shape[] = [
  {
    name: 'url-password',
    pattern:
      /:\/\/(?:(?<user>\[secret:[a-z0-9-]{1,80}:[0-9a-f]{8}\]|[^\s:@/'"<>[]{0,128}):)?(?<value>[^\s@'"<>`/:[][^\s@'"<>`/]{3,256})@/g,
    keywords: ['://'],
  },
  {
    name: 'jdbc-password',
    pattern: /jdbc:oracle:\w{2,10}:[\w-]{1,60}\/(?<value>[^\s@"']{4,128})@/gi,
    keywords: ['jdbc:oracle'],
  },
  {
    name: 'command-login',
    pattern:
      /\b(?:curl|wget|https?|xh|aria2c)\b[^\n|;]{0,400}?[ \t](?:-u|-a|-U|--user|--auth|--proxy-user)[ \t=]{0,2}["']?[^\s:"']{0,100}:(?<value>[^\s"']{4,200})/g,
    keywords: ['curl ', 'wget ', 'http -', 'https -', 'xh -', 'aria2c '],
  },
  {
    name: 'command-password',
    pattern: new RegExp(
      `\\b(?:${PROGRAMS})(?:[ \\t][^\\n|;&]{0,300}?)?[ \\t]-[pPwa][ \\t=]{0,2}["']?(?<value>[^\\s"'|;&]{6,200})`,
      'g',
    ),
    keywords: [
      ...['mysql', 'mariadb', 'mycli', 'sshpass', '7za ', 'unzip ', 'zip -', ' login ', 'mongo', 'sqlcmd', 'redis-cli'],
      ...['valkey-cli', 'ldap', 'rabbitmqadmin', 'cqlsh'],
    ],
  },
  {
    name: 'pgpass-password',
    pattern: /(?:^|["'`])[^\s:#"'`]{1,200}:(?:\d{2,5}|\*):[^\s:]{1,100}:[^\s:]{1,100}:(?<value>[^\s:]{6,200})$/gm,
    keywords: [':543', ':643', ':*:'],
  },
  {
    name: 'sql-password',
    pattern: /\bidentified[ \t]{1,4}by[ \t]{1,4}(?:password[ \t]{1,4})?["']?(?<value>[^\s"']{6,200})/gi,
    keywords: ['identified by'],
  },
  {
    name: 'piped-password',
    pattern:
      /\becho[ \t]{1,4}(?:-n[ \t]{1,4})?["']?(?<value>[^\s"'|]{6,200})["']?[ \t]{0,4}\|[ \t]{0,4}(?:sudo|docker|podman|helm|su|passwd|cryptsetup|gh|openssl|kinit|wrangler|vault|fly|flyctl|npx[ \t]wrangler)\b/g,
    keywords: ['echo '],
  },
  {
    name: 'command-secret',
    pattern:
      /(?:--from-literal[= ]["']?[\w.-]{1,100}|\bsecrets?[ \t](?:set|put|import)[ \t][^\n|;&]{0,200}?\b[A-Za-z_]\w{0,60})=["']?(?<value>[^\s"'|;&]{6,500})/g,
    keywords: ['--from-literal', ' secret set', ' secrets set', ' secrets import'],
    kind: 'token',
  },
  {
    name: 'command-secret',
    pattern:
      /\b(?:vault[ \t]{1,4}login(?:[ \t]{1,4}-\S{1,60}){0,4}|secret[ \t]{1,4}set[ \t][^\n|;&]{1,200}?--?b(?:ody)?|ConvertTo-SecureString(?:[ \t]{1,4}-String)?)[ \t=]{1,4}["']?(?:token=)?(?<value>[^\s"'|;&-][^\s"'|;&]{5,500})/gi,
    keywords: ['vault login', ' secret set', 'convertto-securestring'],
    kind: 'token',
  },
  {
    name: 'mail-relay-password',
    pattern: /^\[?[\w.-]{3,200}\]?:(?:25|465|587|2525)[ \t]{1,20}[^\s:]{1,200}:(?<value>[^\s]{6,200})$/gm,
    keywords: [':25', ':465', ':587'],
  },
  {
    name: 'build-credentials',
    pattern: /\bCredentials\((?:[ \t\n]{0,20}"[^"\n]{0,200}",){3}[ \t\n]{0,20}"(?<value>[^"\n]{6,500})/g,
    keywords: ['credentials('],
  },
  {
    name: 'signed-url',
    pattern: /[?&](?:sig|x-amz-signature|x-goog-signature)=(?<value>[A-Za-z0-9%+/=_-]{16,1000})/gi,
    keywords: ['sig=', 'signature='],
    kind: 'token',
  },
  {
    name: 'cookie',
    pattern:
      /\bcookie["']?[ \t]{0,4}:[ \t]{0,4}["']?(?:[^\n"']{0,2000}?;[ \t]{0,4})?[\w.-]{0,60}(?:sess|sid|auth|token|jwt|login)[\w.-]{0,60}=(?<value>[^\s;"']{16,4000})/gi,
    keywords: ['cookie: ', 'cookie":', "cookie':"],
    kind: 'token',
  },
  {
    name: 'command-password',
    pattern:
      /\bhtpasswd[ \t][^\n|;]{0,100}?-\w{0,4}b\w{0,4}[ \t]{1,4}(?:[^\s]{1,200}[ \t]{1,4}){1,2}["']?(?<value>[^\s"']{4,200})/g,
    keywords: ['htpasswd '],
  },
  {
    name: 'command-password',
    pattern: /[ \t](?:-U|--user)[ \t=]{0,2}["']?[\w.\\/-]{1,100}%(?<value>[^\s"']{4,200})/g,
    keywords: ['smbclient', 'rpcclient', 'smbget', 'net rpc'],
  },
  {
    name: 'redis-user-password',
    pattern: /(?:^|["'`])[ \t]{0,8}user[ \t]{1,4}\w{1,60}[ \t][^\n>]{0,200}>(?<value>[^\s]{4,200})/gm,
    keywords: [' +@', ' ~*', ' allkeys'],
  },
  {
    name: 'password-hash',
    pattern:
      /(?<value>\$(?:apr1|2[abxy]|[156]|y|gy|7|argon2(?:id|i|d)|pbkdf2[\w-]{0,12})\$[./A-Za-z0-9$=,+-]{20,300}|\{S?SHA\d{0,3}\}[A-Za-z0-9+/=]{20,200})/g,
    keywords: toList('$apr1$ $2a$ $2b$ $2x$ $2y$ $1$ $5$ $6$ $y$ $7$ $argon2 $pbkdf2 sha} {ssha'),
    isCertain: true,
  },
];

export const SHAPED_RULES: readonly SecretRule[] = SHAPES.map(({ name, pattern, keywords, ...how }) => ({
  name,
  keywords,
  find: (text) => findShape(text, pattern, how),
}));

function* findShape(
  text: string,
  pattern: RegExp,
  { kind = 'password', isCertain = false }: Pick<Shape, 'kind' | 'isCertain'>,
): Generator<readonly [number, number]> {
  for (const match of text.matchAll(pattern)) {
    const { value = '', ...groups } = match.groups ?? {};
    // The value is the last part of each pattern, except for a closing character.
    const start = match.index + match[0].lastIndexOf(value);
    // A URL with one word before its host: a token, or the name of a user.
    const known = 'user' in groups && groups['user'] === undefined ? 'token' : kind;
    const end = start + toEnd(value).length;
    if (isCertain || isSecretText(text.slice(start, end), { kind: known, isQuoted: false })) yield [start, end];
  }
}

/** Without marks that end a sentence or a call. */
function toEnd(value: string): string {
  return value.replace(/[,;)\]}]{1,4}$/, '');
}
