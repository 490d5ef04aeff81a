import type { Chance } from '../undo/chance.ts';

/** A file with one secret in it, and the secret. */
export interface ClearKey {
  shape: string;
  file: string;
  text: string;
  value: string;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';

function draw(chance: Chance, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[chance.number(alphabet.length)]!).join('');
}

/** Values as programs make them; `safe` ones need no quotes anywhere. */
const VALUES: Readonly<Record<string, (chance: Chance) => string>> = {
  letters: (chance) => draw(chance, `${LETTERS}0123456789`, 16 + chance.number(24)),
  long: (chance) => draw(chance, `${LETTERS}0123456789`, 64),
  hex: (chance) => `${draw(chance, '0123456789abcdef', 30)}a7`,
  uuid: (chance) => [8, 4, 4, 4, 12].map((length) => draw(chance, '0123456789abcdef', length)).join('-'),
  lower: (chance) => draw(chance, `${LOWER}0123456789`, 20 + chance.number(12)),
  upper: (chance) => draw(chance, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 26),
  base64: (chance) => Buffer.from(draw(chance, `${LETTERS}0123456789+-_!`, 24)).toString('base64'),
  padded: (chance) => Buffer.from(draw(chance, `${LETTERS}0123456789:`, 22)).toString('base64'),
  url: (chance) => draw(chance, `${LETTERS}0123456789-_`, 32),
};
/** With marks that have a meaning in some syntax: only where a shape quotes. */
const MARKED = (chance: Chance): string =>
  `${draw(chance, `${LETTERS}0123456789`, 10)}${draw(chance, '!#%^*+=?@', 3)}${draw(chance, `${LETTERS}0123456789`, 8)}`;

const PASSWORDS =
  'password db_password dbPassword passwd admin_password rootPassword smtp_pass user_password passphrase signing.password keystorePassword ansible_become_pass spring.datasource.password pwd'.split(
    ' ',
  );
const TOKENS =
  'token api_token apiKey api_key auth_token accessToken refresh_token client_secret clientSecret secret_key SECRET_KEY secretAccessKey private_token jwtSecret encryption_key webhook_secret signing_secret'.split(
    ' ',
  );
const VARIABLES =
  'DB_PASSWORD POSTGRES_PASSWORD MYSQL_ROOT_PASSWORD API_TOKEN STRIPE_SECRET SECRET_KEY_BASE APP_KEY JWT_SECRET AUTH_TOKEN REDIS_PASSWORD NPM_TOKEN AWS_SECRET CLIENT_SECRET SENTRY_AUTH_TOKEN ADMIN_PASS SESSION_SECRET'.split(
    ' ',
  );

type Write = (value: string, chance: Chance) => readonly [file: string, text: string];
type Shapes = Readonly<Record<string, { isQuoted?: boolean; write: Write }>>;

const key = (chance: Chance): string => chance.pick(chance.percent(50) ? PASSWORDS : TOKENS);
const variable = (chance: Chance): string => chance.pick(VARIABLES);
const quote = (chance: Chance): string => chance.pick(['"', "'"]);
const quoted = (value: string, chance: Chance): string => {
  const mark = quote(chance);
  return mark + value + mark;
};

const PLAIN: Shapes = {
  yaml: {
    write: (v, c) => [
      c.pick(['config.yml', 'application.yaml', 'values.yaml']),
      `app:\n  name: shop\n  ${key(c)}: ${v}\n  port: 80\n`,
    ],
  },
  'yaml in a list': { write: (v, c) => ['list.yml', `users:\n  - name: me\n    ${key(c)}: ${v}\n`] },
  kubeconfig: {
    write: (v) => ['cluster.yaml', `apiVersion: v1\nkind: Config\nusers:\n- name: me\n  user:\n    token: ${v}\n`],
  },
  properties: {
    write: (v, c) => [
      c.pick(['application.properties', 'gradle.properties']),
      `name=shop\n${key(c)}${c.pick(['=', ' = ', ': '])}${v}\n`,
    ],
  },
  ini: {
    write: (v, c) => [c.pick(['settings.ini', 'rclone-copy.conf', 'my.cnf']), `[main]\nuser = me\n${key(c)} = ${v}\n`],
  },
  compose: { write: (v, c) => ['compose.yaml', `services:\n  db:\n    environment:\n      ${variable(c)}: ${v}\n`] },
  'compose list': {
    write: (v, c) => ['compose.yml', `services:\n  db:\n    environment:\n      - ${variable(c)}=${v}\n`],
  },
  dockerfile: {
    write: (v, c) => ['Dockerfile', `FROM node\n${c.pick(['ENV', 'ARG'])} ${variable(c)}${c.pick(['=', ' '])}${v}\n`],
  },
  npmrc: { write: (v) => ['.npmrc', `registry=https://r.example.org/\n//r.example.org/:_authToken=${v}\n`] },
  shell: { write: (v, c) => ['run.sh', `#!/bin/sh\nexport ${variable(c)}=${v}\nexec app\n`] },
  'shell prefix': { write: (v, c) => ['dump.sh', `PGPASSWORD=${v} psql -h db ${c.pick(['shop', 'users'])}\n`] },
  option: {
    write: (v, c) => [
      'deploy.sh',
      `app deploy --${c.pick(['password', 'token', 'api-key', 'client-secret', 'db-password'])}${c.pick([' ', '='])}${v} --yes\n`,
    ],
  },
  mysql: { write: (v, c) => ['backup.sh', `${c.pick(['mysql', 'mysqldump', 'mariadb'])} -u root -p${v} shop\n`] },
  sshpass: { write: (v) => ['copy.sh', `sshpass -p ${v} scp a b:\n`] },
  curl: { write: (v, c) => ['call.sh', `curl -s ${c.pick(['-u', '--user'])} admin:${v} https://example.org/x\n`] },
  redis: { write: (v, c) => ['redis.conf', `port 6379\n${c.pick(['requirepass', 'masterauth'])} ${v}\n`] },
  netrc: { write: (v) => ['netrc.txt', `machine example.org login me password ${v}\n`] },
  pgpass: { write: (v) => ['pgpass.txt', `db.local:5432:shop:me:${v}\n`] },
  'docker login': { write: (v) => ['push.sh', `docker login -u me -p ${v} registry.example.org\n`] },
  'markup element': {
    write: (v, c) => [
      c.pick(['settings.xml', 'pom.xml']),
      `<server><id>a</id><${c.pick(['password', 'passphrase', 'token'])}>${v}</server>\n`.replace(
        '</server>',
        '</password></server>',
      ),
    ],
  },
  kubernetes: {
    write: (v) => [
      'secret.yaml',
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  anything: ${v}\n`,
    ],
  },
  workflow: { write: (v, c) => ['ci.yml', `jobs:\n  a:\n    env:\n      ${variable(c)}: ${v}\n    steps: []\n`] },
  pypirc: { write: (v) => ['pypi.cfg', `[pypi]\nusername = __token__\npassword = ${v}\n`] },
  gem: { write: (v) => ['gem.yml', `---\n:rubygems_api_key: ${v}\n`] },
  'connection string': {
    write: (v, c) => [
      'app.config',
      `Server=db;Database=a;User Id=sa;${c.pick(['Password', 'Pwd'])}=${v};Encrypt=true\n`,
    ],
  },
  jdbc: {
    write: (v) => ['jdbc.txt', `jdbc:mysql://db:3306/a?user=me&password=${v.replaceAll(/[+=&]/g, 'x')}&useSSL=true\n`],
  },
  header: {
    write: (v, c) => [
      'request.http',
      `GET / HTTP/1.1\n${c.pick(['Authorization: Bearer', 'Authorization: token', 'X-Api-Key:', 'X-Auth-Token:', 'Private-Token:'])} ${v}\n`,
    ],
  },
};

const QUOTED: Shapes = {
  'yaml quoted': { isQuoted: true, write: (v, c) => ['config.yaml', `app:\n  ${key(c)}: ${quoted(v, c)}\n`] },
  json: {
    isQuoted: true,
    write: (v, c) => [c.pick(['config.json', 'auth-copy.json']), `{\n  "name": "shop",\n  "${key(c)}": "${v}"\n}\n`],
  },
  'json in one line': {
    isQuoted: true,
    write: (v, c) => ['line.json', `{"a":{"user":"me","${key(c)}":"${v}"},"b":[1,2]}\n`],
  },
  'json name and value': {
    isQuoted: true,
    write: (v, c) => ['task.json', `[{"name": "${variable(c)}", "value": "${v}"}]\n`],
  },
  'yaml name and value': {
    isQuoted: true,
    write: (v, c) => ['deployment.yaml', `env:\n  - name: ${variable(c)}\n    value: ${quoted(v, c)}\n`],
  },
  composer: {
    isQuoted: true,
    write: (v) => [
      'composer-auth.json',
      `{"http-basic": {"repo.example.org": {"username": "me", "password": "${v}"}}}\n`,
    ],
  },
  'composer token': {
    isQuoted: true,
    write: (v, c) => [
      'tokens.json',
      `{\n  "${c.pick(['github-oauth', 'gitlab-token', 'bearer'])}": {\n    "example.org": "${v}"\n  }\n}\n`,
    ],
  },
  tfvars: {
    isQuoted: true,
    write: (v, c) => [
      'prod.tfvars',
      `region = "eu"\n${c.pick(['db_password', 'api_token', 'client_secret'])} = "${v}"\n`,
    ],
  },
  'terraform default': {
    isQuoted: true,
    write: (v) => ['main.tf', `variable "db_password" {\n  type = string\n  default = "${v}"\n}\n`],
  },
  terraformrc: {
    isQuoted: true,
    write: (v) => ['terraform.hcl', `credentials "app.terraform.io" {\n  token = "${v}"\n}\n`],
  },
  appsettings: {
    isQuoted: true,
    write: (v) => [
      'appsettings.json',
      `{"ConnectionStrings": {"Default": "Server=db;User Id=sa;Password=${v};Encrypt=true"}}\n`,
    ],
  },
  'wp-config': {
    isQuoted: true,
    write: (v, c) => [
      'wp-config.php',
      `<?php\ndefine( 'DB_NAME', 'wp' );\ndefine( '${c.pick(['DB_PASSWORD', 'AUTH_KEY', 'NONCE_SALT', 'LOGGED_IN_KEY'])}', '${v}' );\n`,
    ],
  },
  django: {
    isQuoted: true,
    write: (v, c) => ['settings.py', `DEBUG = False\n${c.pick(['SECRET_KEY', 'DB_PASSWORD'])} = ${quoted(v, c)}\n`],
  },
  'markup attribute': {
    isQuoted: true,
    write: (v, c) => [
      'web.config',
      `<add ${c.pick(['key', 'name'])}="${c.pick(['DbPassword', 'ApiKey', 'ClientSecret'])}" value="${v}" />\n`,
    ],
  },
  php: { isQuoted: true, write: (v, c) => ['database.php', `return ['mysql' => ['${key(c)}' => ${quoted(v, c)}]];\n`] },
  typescript: {
    isQuoted: true,
    write: (v, c) => [
      'config.ts',
      `export const ${c.pick(['password', 'apiKey', 'clientSecret'])}${c.pick(['', ': string'])} = ${quoted(v, c)};\n`,
    ],
  },
  go: { isQuoted: true, write: (v, c) => ['main.go', `${c.pick(['dbPassword', 'apiToken'])} := "${v}"\n`] },
  environ: { isQuoted: true, write: (v, c) => ['env.py', `os.environ["${variable(c)}"] = "${v}"\n`] },
  fallback: {
    isQuoted: true,
    write: (v, c) => ['env.js', `const x = process.env.${variable(c)} ${c.pick(['??', '||'])} '${v}';\n`],
  },
  'dev.vars': { isQuoted: true, write: (v, c) => ['vars.txt', `${variable(c)}="${v}"\n`] },
};

const SHAPES: Shapes = { ...PLAIN, ...QUOTED };
const NAMES = Object.keys(SHAPES);

/** One file with a secret under a clear key; every index takes the next shape. */
export function toClearKey(chance: Chance, index: number): ClearKey {
  const shape = NAMES[index % NAMES.length]!;
  const { isQuoted = false, write } = SHAPES[shape]!;
  const kind = chance.pick([...Object.keys(VALUES), ...(isQuoted ? ['marked'] : [])]);
  const value = shape === 'jdbc' ? VALUES['letters']!(chance) : (VALUES[kind] ?? MARKED)(chance);
  const [file, text] = write(value, chance);
  return { shape: `${shape}, ${kind}`, file, text, value };
}
