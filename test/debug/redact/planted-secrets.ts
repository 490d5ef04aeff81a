import { createHash } from 'node:crypto';

export interface Planted {
  place: string;
  secret: string;
  /** Looks that would show it; the results of all of them together must not. */
  looks: readonly string[];
}

let seed = 0;

/** 24 characters that look like nothing else. */
function make(): string {
  return createHash('sha256').update(`secret-${++seed}`).digest('base64url').replaceAll(/[-_]/g, 'k').slice(0, 24);
}

const NAMES =
  'password passwd pwd secret token accessToken refresh_token apiKey api_key x-api-key authorization cookie set-cookie clientSecret privateKey credentials passphrase sessionId jwt pin SECRET_KEY dbPassword AUTH_TOKEN signingKey webhookSecret connectionString'.split(
    ' ',
  );

/** Ways to read a value in parts or in another form. */
const FORMS: Readonly<Record<string, (path: string) => string[]>> = {
  complete: (path) => [path],
  template: (path) => [`\`value: \${${path}}\``],
  json: (path) => [`JSON.stringify({ x: ${path} })`],
  spaced: (path) => [`${path}.split("").join(" ")`],
  dashed: (path) => [`[...${path}].join("-")`],
  characters: (path) => [`[...${path}]`],
  reversed: (path) => [`[...${path}].reverse().join("")`],
  'upper case': (path) => [`${path}.toUpperCase()`],
  halves: (path) => [`${path}.slice(0, 12)`, `${path}.slice(12)`],
  quarters: (path) => [0, 6, 12, 18].map((at) => `${path}.slice(${at}, ${at + 6})`),
  triples: (path) => [0, 3, 6, 9, 12, 15, 18, 21].map((at) => `${path}.slice(${at}, ${at + 3})`),
  'single characters': (path) => Array.from({ length: 24 }, (_, at) => `${path}[${at}]`),
  codes: (path) => [`[...${path}].map((x) => x.charCodeAt(0)).join()`],
  base64: (path) => [`globalThis.Buffer ? 0 : 0`, `btoa64(${path})`],
  hex: (path) => [`[...${path}].map((x) => x.charCodeAt(0).toString(16)).join("")`],
  'in an object': (path) => [`({ a: { b: [${path}] } })`],
  'in a Map': (path) => [`new Map([["x", ${path}]])`],
  'as a key': (path) => [`Object.fromEntries([[${path}, 1]])`],
  'in an exception': (path) => [`throw new Error("bad " + ${path})`],
  printed: (path) => [`const line = {}; console.log(${path}, {...line})`],
};

/** The context with everything planted in it, and what is planted. At least 100. */
export function plantSecrets() {
  const planted: Planted[] = [];
  const context: Record<string, unknown> = { btoa64: (text: string) => Buffer.from(text).toString('base64') };
  const add = (place: string, secret: string, looks: string[]): void => void planted.push({ place, secret, looks });
  NAMES.forEach((name, index) => {
    const secret = make();
    const holder = `named${index}`;
    context[holder] =
      index % 3 === 0
        ? { deep: { [name]: secret } }
        : index % 3 === 1
          ? new Map([[name, secret]])
          : [{ [name]: [secret] }];
    add(`under ${name}`, secret, [holder, `JSON.stringify(${index % 3 === 1 ? `[...${holder}]` : holder})`]);
  });
  for (const [form, toLooks] of Object.entries(FORMS)) {
    const secret = make();
    const name = `form${planted.length}`;
    context[name] = { password: secret };
    add(`read ${form}`, secret, toLooks(`${name}.password`));
  }
  const texts: Record<string, (secret: string) => string> = {
    'user and password in a URL': (secret) => `postgres://admin:${secret}@db.example.com/app`,
    'password in a URL with https': (secret) => `https://user:${secret}@example.com/`,
    'token as the user of a URL': (secret) => `https://${secret}@github.com/a/b.git`,
    'parameter of a URL': (secret) => `https://example.com/cb?access_token=${secret}&x=1`,
    'second parameter': (secret) => `/login?next=/&password=${secret}`,
    'bearer header': (secret) => `Authorization: Bearer ${secret}`,
    'bearer alone': (secret) => `Bearer ${secret}`,
    'basic header': (secret) => `Basic ${secret}`,
    'cookie header': (secret) => `Cookie: session=${secret}; theme=dark`,
    'set-cookie header': (secret) => `set-cookie: sid=${secret}; HttpOnly`,
    '.env line': (secret) => `DB_PASSWORD=${secret}`,
    'quoted .env line': (secret) => `export API_TOKEN="${secret}"`,
    'JSON text': (secret) => `{"user":"a","password":"${secret}"}`,
    'escaped JSON text': (secret) => JSON.stringify(JSON.stringify({ apiKey: secret })),
    'YAML text': (secret) => `db:\n  password: ${secret}\n`,
    'printed object': (secret) => `{ clientSecret: '${secret}' }`,
    'command line': (secret) => `mysql --password=${secret} -u root`,
    'connection string': (secret) => `Server=a;User Id=b;Password=${secret};`,
    'GitHub token': (secret) => `push with ghp_${secret}abcdefABCDEF`,
    'Anthropic key': (secret) => `key sk-ant-api03-${secret}${secret}`,
    'AWS key': () => 'id AKIAQ3EGRTZPLMNYWXB2 used',
    'Slack token': (secret) => `xoxb-123456789012-123456789012-${secret}`,
    'private key': (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}${secret}\n-----END PRIVATE KEY-----`,
    JWT: (secret) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${secret}`,
    'Stripe key': (secret) => `sk_live_${secret}`,
  };
  for (const [place, toText] of Object.entries(texts)) {
    const secret = place === 'AWS key' ? 'AKIAQ3EGRTZPLMNYWXB2' : make();
    const name = `text${planted.length}`;
    context[name] = toText(secret);
    add(`${place} in a string`, secret, [name, `${name}.split("").join(".")`, `({ note: ${name} })`]);
    const other = place === 'AWS key' ? secret : make();
    const failure = `failure${planted.length}`;
    context[failure] = new Error(`Cannot connect: ${toText(other)}`, { cause: { headers: { authorization: make() } } });
    add(`${place} in an error`, other, [failure, `${failure}.message`, `${failure}.stack`, `throw ${failure}`]);
  }
  return { planted, context };
}
