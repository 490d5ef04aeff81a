import type { SecretRule } from '../secret-rule.ts';
import { toKeyKind, type KeyKind } from './secret-key.ts';
import { isSecretText } from './secret-text.ts';

interface Shape {
  name: string;
  /** With a group `value`, and where the key is free a group `key`. Every repetition has a bound. */
  pattern: RegExp;
  keywords: readonly string[];
  /** What the value counts as. Default `password`. */
  kind?: KeyKind;
  /** True where the shape alone decides. */
  isCertain?: boolean;
}

/** Programs with a short option for a password. */
const PROGRAMS =
  'mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mycli|sshpass|7z|7za|zip|unzip|rar|unrar|docker|podman|buildah|skopeo|helm|mongo|mongosh|mongodump|mongorestore|az|oc|sqlcmd|bcp|redis-cli|valkey-cli|ldapsearch|ldapadd|ldapmodify|ldapwhoami|rabbitmqadmin|influx|cqlsh|ipmitool';

/** Secrets that a place in a line marks, and no key with a separator. */
const SHAPES: readonly Shape[] = [
  {
    name: 'url-password',
    pattern: /:\/\/[^\s:@/'"<>]{0,128}:(?<value>[^\s@'"<>`/]{4,256})@/g,
    keywords: ['://'],
  },
  {
    name: 'url-token',
    pattern: /:\/\/(?<value>[A-Za-z0-9_-]{16,128})@/g,
    keywords: ['://'],
    kind: 'token',
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
    keywords: PROGRAMS.split('|').map((program) => `${program} `),
  },
  {
    name: 'option-password',
    pattern:
      /-(?<=(?:^|[\s"'])-{1,2})(?<key>[a-z][\w-]{0,40})["']?[ \t,]{1,4}["']?(?<value>[^\s"'|;&,-][^\s"'|;&]{5,300})/gi,
    keywords: ['-pass', '-pwd', '-token', '-secret', '-key', '-apikey'],
  },
  {
    name: 'word-password',
    pattern: /\b(?:requirepass|masterauth|rootpw|bindpw)[ \t]{1,20}["']?(?<value>[^\s"']{6,300})/gi,
    keywords: ['requirepass', 'masterauth', 'rootpw', 'bindpw'],
  },
  {
    name: 'word-password',
    pattern: /\b(?:password|passwd|identified by)[ \t]{1,20}["']?(?<value>[^\s"']{8,300})/gi,
    keywords: ['password ', 'passwd ', 'identified by'],
    kind: 'token',
  },
  {
    name: 'set-variable',
    pattern:
      /\b(?:ENV|ARG|LABEL|setenv|SetEnv|set(?:[ \t]{1,4}-{1,2}\w{1,12}){1,3}|fastcgi_param|uwsgi_param|proxy_set_header|RequestHeader[ \t]set|setx)[ \t]{1,8}["']?(?<key>[\w.-]{3,80})["']?[ \t]{1,8}["']?(?:(?:[Bb]earer|[Bb]asic|[Tt]oken)[ \t]+)?(?<value>[^\s"';]{6,300})/g,
    keywords: [
      'env ',
      'arg ',
      'label ',
      'set -',
      'fastcgi_param',
      'uwsgi_param',
      'proxy_set_header',
      'requestheader',
      'setx ',
    ],
  },
  {
    name: 'pgpass-password',
    pattern: /^[^\s:#]{1,200}:(?:\d{2,5}|\*):[^\s:]{1,100}:[^\s:]{1,100}:(?<value>[^\s:]{6,200})$/gm,
    keywords: [':543', ':643', ':*:'],
  },
  {
    name: 'piped-password',
    pattern:
      /\becho[ \t]{1,4}(?:-n[ \t]{1,4})?["']?(?<value>[^\s"'|]{6,200})["']?[ \t]{0,4}\|[ \t]{0,4}(?:sudo|docker|podman|helm|su|passwd|cryptsetup|gh|openssl|kinit)\b/g,
    keywords: ['echo '],
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
    pattern: /^[ \t]{0,8}user[ \t]{1,4}\w{1,60}[ \t][^\n>]{0,200}>(?<value>[^\s]{4,200})/gm,
    keywords: [' +@', ' ~*', ' allkeys'],
  },
  {
    name: 'password-hash',
    pattern:
      /(?<value>\$(?:apr1|2[abxy]|[156]|y|gy|7|argon2(?:id|i|d)|pbkdf2[\w-]{0,12})\$[./A-Za-z0-9$=,+-]{20,300}|\{S?SHA\d{0,3}\}[A-Za-z0-9+/=]{20,200})/g,
    keywords: [
      '$apr1$',
      '$2a$',
      '$2b$',
      '$2x$',
      '$2y$',
      '$1$',
      '$5$',
      '$6$',
      '$y$',
      '$7$',
      '$argon2',
      '$pbkdf2',
      'sha}',
      '{ssha',
    ],
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
    const { key, value = '' } = match.groups ?? {};
    // The value is the last thing of each pattern, but for what closes it.
    const start = match.index + match[0].lastIndexOf(value);
    const known = key === undefined ? kind : toKeyKind(key);
    if (known === undefined) continue;
    const end = start + toEnd(value).length;
    if (isCertain || isSecretText(text.slice(start, end), { kind: known, isQuoted: false })) yield [start, end];
  }
}

/** Without marks that end a sentence or a call. */
function toEnd(value: string): string {
  return value.replace(/[,;)\]}]{1,4}$/, '');
}
