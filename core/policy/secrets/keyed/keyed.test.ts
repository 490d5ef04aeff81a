import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../redactor.ts';
import { KEYED_RULES } from '../redaction-rules.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const redactor = createRedactor({ salt: 's', digest, rules: KEYED_RULES });
/** What is taken out of a text. */
const found = (text: string) => redactor.find(text).map(({ start, end }) => text.slice(start, end));

const V = 'kQ7mZx92LpVt4RwY8sBn';
const UUID = '3f2b8c1e-9a47-4d06-b5e3-7c81f2a90d64';
const B64 = 'dXNlcjpwN0Z4OXEyTHZSNHQ4WXo=';

const SHAPES: Record<string, [text: string, value: string]> = {
  YAML: [`database:\n  password: ${V}\n  port: 5432\n`, V],
  'YAML in quotes': [`password: "${V}" # of the app\n`, V],
  'YAML with a comment': [`password: ${V} # of the app\n`, V],
  'kubeconfig token': [`users:\n- name: me\n  user:\n    token: ${V}\n`, V],
  'kubeconfig key': [`    client-key-data: ${B64}\n`, B64],
  tfvars: [`db_password = "${V}"\n`, V],
  'terraform default': [`variable "db_password" {\n  type    = string\n  default = "${V}"\n}\n`, V],
  'tfstate output': [`"db_password": {\n  "value": "${V}",\n  "sensitive": true\n}`, V],
  'appsettings.json': [`"Default": "Server=db;Database=a;User Id=sa;Password=${V};Encrypt=true"`, V],
  'application.properties': [`spring.datasource.password=${V}\n`, V],
  'compose map': [`    environment:\n      POSTGRES_PASSWORD: ${V}\n`, V],
  'compose list': [`    environment:\n      - POSTGRES_PASSWORD=${V}\n`, V],
  'wp-config password': [`define( 'DB_PASSWORD', '${V}' );\n`, V],
  'wp-config salt': [`define('LOGGED_IN_KEY',    '${V}#!x{y');\n`, `${V}#!x{y`],
  'Dockerfile ENV =': [`ENV API_TOKEN=${V}\n`, V],
  'Dockerfile ENV': [`ENV API_TOKEN ${V}\n`, V],
  '.npmrc': [`//registry.npmjs.org/:_authToken=${UUID}\n`, UUID],
  '.npmrc _auth': [`_auth=${B64}\n`, B64],
  '.dev.vars': [`STRIPE_SECRET="${V}"\n`, V],
  'local.settings.json': [
    `"AzureWebJobsStorage": "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${B64};EndpointSuffix=x"`,
    B64,
  ],
  'composer auth.json': [`{"http-basic": {"repo.example.org": {"username": "me", "password": "${V}"}}}`, V],
  'composer auth.json token': [`{\n  "github-oauth": {\n    "github.com": "${V}"\n  }\n}`, V],
  gradle: [`signing.password=${V}\n`, V],
  maven: [`<server><id>a</id><username>b</username><password>${V}</password></server>`, V],
  'XML attribute': [`<add key="DbPassword" value="${V}" />`, V],
  'XML property': [`<property name="password" value="${V}"/>`, V],
  'Spring XML entry': [`<entry key="password">${V}</entry>`, V],
  plist: [`<key>Password</key>\n\t<string>${V}</string>`, V],
  '.terraformrc': [`credentials "app.terraform.io" {\n  token = "${V}"\n}\n`, V],
  redis: [`requirepass ${V}\n`, V],
  'redis user': [`user alice on >${V} ~* +@all\n`, V],
  'curl -u': [`curl -u admin:${V} https://example.org/\n`, V],
  'curl header': [`curl -H "X-Api-Key: ${V}" https://example.org/`, V],
  '.pgpass': [`db.local:5432:shop:me:${V}\n`, V],
  '.my.cnf': [`[client]\nuser = me\npassword = ${V}\n`, V],
  '.netrc': [`machine example.org login me password ${V}\n`, V],
  htpasswd: [`me:$apr1$a8Kx0Lq2$Zq8wR1tYuIoP3aSdFgHjK.\n`, '$apr1$a8Kx0Lq2$Zq8wR1tYuIoP3aSdFgHjK.'],
  'ansible vars': [`ansible_become_pass: ${V}\n`, V],
  'ansible inventory': [`web1 ansible_host=10.0.0.1 ansible_ssh_pass=${V}\n`, V],
  'k8s Secret': [`apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata:\n  anything: ${B64}\n`, B64],
  'k8s Secret plain': [`kind: Secret\nstringData:\n  anything: ordinary\n`, 'ordinary'],
  'k8s env': [`- name: DB_PASSWORD\n  value: ${V}\n`, V],
  'k8s env in JSON': [`{"name": "DB_PASSWORD", "value": "${V}"}`, V],
  'helm values': [`auth:\n  rootPassword: "${V}"\n`, V],
  django: [`SECRET_KEY = '${V}&x)=1'\n`, `${V}&x)=1`],
  laravel: [`APP_KEY=base64:${B64}\n`, `base64:${B64}`],
  rails: [`  secret_key_base: ${V}${V}\n`, V + V],
  'GitHub Actions': [`    env:\n      NPM_TOKEN: ${V}\n`, V],
  'docker config.json': [`{"auths":{"ghcr.io":{"auth":"${B64}"}}}`, B64],
  '.s3cfg': [`secret_key = ${V}\n`, V],
  'rclone.conf': [`pass = ${V}\n`, V],
  '.pypirc': [`[pypi]\nusername = __token__\npassword = ${V}\n`, V],
  'gem credentials': [`---\n:rubygems_api_key: ${V}\n`, V],
  'Authorization: Basic': [`Authorization: Basic ${B64}\n`, B64],
  'Authorization: token': [`Authorization: token ${V}\n`, V],
  URL: [`REDIS_URL=rediss://me:${V}@cache:6379/0\n`, V],
  'URL with a token': [`https://${V}@github.com/a/b.git`, V],
  JDBC: [`jdbc:mysql://db/a?user=me&password=${V}&useSSL=true`, V],
  Oracle: [`jdbc:oracle:thin:me/${V}@db:1521:x`, V],
  export: [`export X_TOKEN=${V}\n`, V],
  'mysql -p': [`mysql -u root -p${V} shop`, V],
  sshpass: [`sshpass -p ${V} ssh a@b`, V],
  'sshpass quoted': [`sshpass -p '${V}' ssh a@b`, V],
  PGPASSWORD: [`PGPASSWORD=${V} psql -h db`, V],
  '--password': [`tool --password ${V} --x`, V],
  '--password=': [`tool --password=${V} --x`, V],
  'docker login': [`docker login -u me -p ${V} ghcr.io`, V],
  TypeScript: [`const password: string = '${V}';`, V],
  'Python environ': [`os.environ["API_TOKEN"] = "${V}"`, V],
  'default in code': [`const token = process.env.API_TOKEN ?? '${V}';`, V],
  'PHP array': [`'password' => '${V}',`, V],
  Ruby: [`config.api_key = "${V}"`, V],
  Go: [`dbPassword := "${V}"`, V],
  'C#': [`public const string ApiKey = "${V}";`, V],
  'escaped JSON': [`{"log":"{\\"password\\":\\"${V}\\"}"}`, V],
  'flow YAML': [`{user: me, password: ${V}}`, V],
  'YAML block': [`password: |\n  ${V}\n`, V],
  'YAML list': [`tokens:\n  - ${V}\n`, V],
  'a literal': [JSON.stringify({ text: `port 6379\nrequirepass ${V}\nx 1\n` }), V],
  'k8s env with numbers': [`   1\t- name: DB_PASSWORD\n   2\t  value: ${V}\n`, V],
  'k8s env of a difference': [`> - name: DB_PASSWORD\n>   value: ${V}\n`, V],
  'k8s Secret by grep': [`a.yml:1:kind: Secret\na.yml:2:data:\na.yml:3:  any: ${B64}\n`, B64],
  'JSON list': [`"tokens": ["a", "${V}"]`, V],
  fish: [`set -x API_TOKEN ${V}\n`, V],
  nginx: [`proxy_set_header Authorization "Basic ${B64}";`, B64],
  'a chosen password': [`password = "hunter2hunter2"`, 'hunter2hunter2'],
  'a chosen password with marks': [`db_password: S0mmer!2024#x\n`, 'S0mmer!2024#x'],
  'with marks': [`password: a#B;c,9"d'xK&2\n`, `a#B;c,9"d'xK&2`],
  'YAML anchor': [`password: &app ${V}\n`, V],
  'YAML tag': [`password: !!str ${V}\n`, V],
  'TOML text of several lines': [`password = """\n${V}\n"""\n`, V],
  'JSON over two lines': [`{"password":\n  "${V}"}`, V],
  CDATA: [`<password><![CDATA[${V}]]></password>`, V],
  Rust: [`let api_key: &'static str = "${V}";`, V],
  'C# property': [`public string Password { get; set; } = "${V}";`, V],
  'C definition': [`#define API_TOKEN "${V}"\n`, V],
  PowerShell: [`ConvertTo-SecureString "${V}" -AsPlainText`, V],
  'a literal of kubectl': [`kubectl create secret generic a --from-literal=any=${V}\n`, V],
  'a signed address': [`https://a.example.net/c?sv=1&sig=${B64}`, B64],
  sssd: [`ldap_default_authtok = ${V}\n`, V],
  'a mail relay': [`[smtp.example.org]:587 me:${V}\n`, V],
  'a wireless network': [`network={\n  ssid="a"\n  psk="${V}"\n}\n`, V],
  'Yarn ident': [`npmAuthIdent: "me:${V}"\n`, `me:${V}`],
  'Gradle keystore': [`storePassword '${V}'\n`, V],
  sbt: [`credentials += Credentials("r", "h", "u", "${V}")`, V],
  'zip -P': [`zip -P ${V} a.zip b\n`, V],
  'aws configure': [`aws configure set aws_session_token ${V}\n`, V],
  'vault login': [`vault login ${V}\n`, V],
  'a token with a point': [`VAULT_TOKEN=hvs.${V}${V}\n`, `hvs.${V}${V}`],
  'secrets set': [`fly secrets set ANY=${V}\n`, V],
  'gh secret set': [`gh secret set ANY --body ${V}\n`, V],
  'a pipe to a tool': [`echo ${V} | wrangler secret put ANY\n`, V],
  cookie: [`Cookie: a=b; session=${V}${V}\n`, V + V],
  'set-cookie': [`Set-Cookie: sid=${V}${V}; HttpOnly\n`, V + V],
  German: [`kennwort = ${V}\n`, V],
  French: [`mot_de_passe=${V}\n`, V],
  'a table of Markdown': [`| password | ${V} |\n`, V],
  'a short password with marks': [`DB_PASSWORD=s3cr3t!\n`, 's3cr3t!'],
  'lines with numbers': [`  12\tpassword: ${V}\n`, V],
  grep: [`config/a.yml:12:  password: ${V}\n`, V],
  'a diff': [`+password: ${V}\n`, V],
};

describe('a value is taken out by its key', () => {
  test.each(Object.entries(SHAPES))('%s', (_name, [text, value]) => {
    expect(found(text)).toContain(value);
    const clean = redactor.redact(text);
    expect(clean).not.toContain(value);
    expect(redactor.restore(clean, text)).toBe(text);
    expect(redactor.redact(clean)).toBe(clean);
  });
});

const HARMLESS = `
password: \${DB_PASSWORD}
password: \${DB_PASSWORD:-}
password: {{ .Values.db.password }}
password: "{{ vault_db_password }}"
token: <your-token>
token: your-token-goes-here
password: changeme
password: change-me-please1
password: example
password: null
password: true
password: ~
password: ""
password:
password: string;
password?: string
password: str = None
readonly accessToken: string | undefined;
password = getPassword()
password = getPassword2("a")
password: passwordFromEnvironment1,
const token = nextToken;
const token = tokens[index1];
token = this.tokenizer.next2();
token: process.env.API_TOKEN
api_key = os.environ["API_KEY_2"]
api_key = os.getenv('API_KEY')
secretKeyRef: db-credentials
secretName: my-app-tls-2
existingSecret: "release-postgresql"
token: vault:secret/data/app#token
token: op://vault/item/field1
password: !vault |
password: ENC[AES256_GCM,data:a8f3k2,iv:x]
token: \${{ secrets.NPM_TOKEN }}
"password": "Mot de passe",
"password": "Passwort"
"passwordHint": "at least 8 characters, 1 digit"
password: must be at least 8 characters
the password: 8characters minimum
The token is 12 characters long
tokenUrl: https://example.org/oauth2/token
token_endpoint: "https://login.example.org/v2.0/token"
passwordFile: /run/secrets/db_password1
password_file=/etc/app/pass.txt
private_key: ./keys/server1.pem
key: 3f2b8c1e-9a47-4d06-b5e3-7c81f2a90d64
id: 3f2b8c1e-9a47-4d06-b5e3-7c81f2a90d64
"integrity": "sha512-q7Zt4Lw9Xc2Vb6Nm1Ks8Jd3Hf5Gp0RyTuEi7Ww=="
"publicKey": "q7Zt4Lw9Xc2Vb6Nm1Ks8Jd3H"
primaryKey: "a1b2c3d4e5f6a7b8c9d0"
.password-input { color: #a1b2c3; }
<input type="password" className="form-control-2" />
<label for="password">Password</label>
max_tokens: 4096
"total_tokens": 123456789
token_type: bearer
expires_token: 2024-01-01
auth: none
auth: oauth2
author: a1b2c3d4e5f6
keyboard: a1b2c3d4e5f6g7
DB_PASSWORD=$DB_PASSWORD
export TOKEN=$(cat token)
curl -u "$USER:$PASS" https://example.org
curl -u user:password https://example.org
mysql -u root -p shop
docker run -p 127.0.0.1:8080:80 nginx
git clone https://github.com/a/b.git
postgres://user:password@localhost/db
postgres://localhost:5432/db
import { token } from './token2.ts';
['password', 'username1', 'token2']
case 'password': return value1;
if (token === 'identifier1') {
PASSWORD_MIN_LENGTH=12
authToken: AUTH_TOKEN_V2
npm_token = NPM_TOKEN
"name": "DB_PASSWORD", "valueFrom": { "secretKeyRef": { "name": "db-secret-1" } }
`
  .trim()
  .split('\n');

describe('what is no secret stays', () => {
  test.each(HARMLESS)('%s', (line) => {
    expect(found(`${line}\n`)).toEqual([]);
  });
});

test('hostile text takes no time that grows with its square', () => {
  const size = 100_000;
  const parts = [
    'password',
    'password=',
    'password: ',
    'token" ',
    '"key":',
    '-p a',
    '://a:',
    'kind: Secret\ndata:\n',
    'password: |\n',
    "define('token',",
    'ENV a',
    'curl -u ',
    'mysql -p ',
  ];
  // Ended by the time-out of the test where one takes minutes.
  for (const part of parts) {
    for (const text of [
      part.repeat(size / part.length),
      part + 'a'.repeat(size),
      part + ' '.repeat(size),
      part + '"'.repeat(size),
    ])
      expect(Array.isArray(redactor.find(text))).toBe(true);
  }
});

test.each([
  ['PWD=/tmp/klaus-Xk29QzLp7Rt/a1b2C3d4E5\n'],
  ['OLDPWD=/home/me/3f2b8c1e9a474d06b5e37c81f2a90d64\n'],
  ['export PWD="/srv/kQ7mZx92LpVt4RwY8sBn"\n'],
  ['declare -x OLDPWD="/srv/kQ7mZx92LpVt4RwY8sBn"\n'],
  ['{"PWD": "/srv/kQ7mZx92LpVt4RwY8sBn"}'],
  [String.raw`PWD=C:\Users\kQ7mZx92LpVt4RwY8sBn`],
])('the folder of a shell is no secret: %s', (text) => {
  expect(found(text)).toEqual([]);
});

test('other keys with such an end are', () => {
  expect(found(`DB_PWD=/${V}\n`)).toEqual([`/${V}`]);
  expect(found(`PWD=${V}\n`)).toEqual([V]);
});
