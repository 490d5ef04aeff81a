import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readGitleaksRules } from './gitleaks-rules.ts';
import { createSecretScanner } from './secret-scanner.ts';
import { fromSecretsAllow } from './secrets-allow.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const scanner = createSecretScanner({ digest });
// Made of parts, so that this file holds no secret itself.
const of = (...parts: string[]) => parts.join('');
const rulesIn = (text: string, path?: string) =>
  scanner.scan(text, path === undefined ? {} : { path }).map(({ rule }) => rule);

const PROMISED: [rule: string, hit: string, miss: string][] = [
  ['aws-access-key', of('AKIA', 'Q3EGRIZ7TLWBXN2K'), of('AKIA', 'IOSFODNN7EXAMPLE')],
  ['aws-secret-key', of('aws_secret_access_key', ' = abcd/efgh+ijkl'), 'aws_secret_access_key=$SECRET'],
  ['api-key', of('API-KEY: "', 'abcdefghij0123456789"'), 'api_key: createApiKeyFromEnvironment'],
  ['private-key', of('-----BEGIN EC ', 'PRIVATE KEY-----\nabc\n'), '-----BEGIN PUBLIC KEY-----'],
  ['anthropic-key', of('sk-', 'ant-', 'a1'.repeat(20)), 'sk-ant-short'],
  ['github-token', of('gho', '_', 'aB3'.repeat(12)), 'ghp_short'],
  ['netlify-token', of('NETLIFY_TOKEN=', 'abcdefghij0123456789'), 'NETLIFY_TOKEN=your-netlify-token-goes-here'],
  ['generic-secret', of('secret = "', 'abcdefgh01234567"'), 'secret: xxxxxxxxxxxxxxxxxxxx'],
  ['database-url', of('mysql://user:', 's3cr3tpass@host/db'), 'mysql://user:<password>@host/db'],
  ['bearer-token', of('Authorization: Bearer ', 'abcdefghij0123456789'), 'Authorization: Bearer $TOKEN'],
];

describe.each(PROMISED)('%s', (rule, hit, miss) => {
  test('is found, with its line and place', () => {
    const text = `first\n${hit}`;
    const [finding] = scanner.scan(text, { path: 'package-lock.json' });
    expect(finding).toMatchObject({ rule, line: 2 });
    expect(hit).toContain(text.slice(finding!.start, finding!.end));
  });

  test('is not seen in what only looks like it', () => {
    expect(rulesIn(miss)).toEqual([]);
  });
});

describe('the rules of gitleaks', () => {
  test.each([
    ['github-fine-grained-pat', of('github', '_pat_', 'aB3dE6gH9j'.repeat(8), 'xY')],
    ['slack-bot-token', of('xoxb', '-123456789012-123456789012', '-AbCdEfGhIjKlMnOpQrStUvWx')],
    ['stripe-access-token', of('key = "sk', '_live_', '4eC39HqLyjWDarjtT1zdp7dc"')],
    ['gcp-api-key', of('AIza', 'SyD9tSrke72PouQMnMX-a7eZSW0jkFMBWY8')],
    ['npm-access-token', of('npm', '_', 'q7Zt4Lw9Xc2Vb6Nm1Ks8Jd3Hf5Gp0RyTuEi7')],
    ['jwt', of('eyJ', 'hbGciOiJIUzI1NiJ9QWxz.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0z.abc', 'DEF123ghi456JKL')],
    ['dropbox-api-token', of('dropbox_token = "', 'q7zt4lw9xc2vb6n"')],
    ['generic-api-key', of('auth_token: "', 'q7Zt4Lw9Xc2Vb6Nm1Ks8Jd3H"')],
  ])('find %s', (rule, text) => {
    expect(rulesIn(`${text}\n`, 'src/a.ts')).toContain(rule);
  });

  test('are 222, and each expression is one here', () => {
    const rules = readGitleaksRules();
    expect(rules).toHaveLength(222);
    expect(new Set(rules.map(({ name }) => name)).size).toBe(222);
    for (const { pattern = '', flags, path = '', allow = [] } of rules) {
      for (const source of [path, ...allow.flatMap((it) => [...(it.patterns ?? []), ...(it.paths ?? [])])])
        expect(() => new RegExp(source)).not.toThrow();
      expect(() => new RegExp(pattern, flags)).not.toThrow();
      // Node 22 knows no flags for a part of an expression.
      expect(JSON.stringify([pattern, path, allow])).not.toMatch(/\(\?[ims]*-?[ims]+:/);
    }
  });

  test('know files by their names, and leave lock files alone', () => {
    const hash = of('"auth_token": "', 'q7Zt4Lw9Xc2Vb6Nm1Ks8Jd3H"');
    expect(rulesIn('binary', 'certs/server.p12')).toEqual(['pkcs12-file']);
    expect(rulesIn(hash, 'settings.json')).toEqual(['generic-api-key']);
    expect(rulesIn(hash, 'package-lock.json')).toEqual([]);
  });

  test('demand entropy where the rule does', () => {
    expect(rulesIn(of('auth_token: "', 'aaaaaaaaaaaa1aaaaaaaaaaa"'))).toEqual([]);
  });
});

test('a fingerprint is that of rule, path and secret: it does not move with the line', () => {
  const text = of('key: AKIA', 'Q3EGRIZ7TLWBXN2K');
  const print = (of: string, path: string) => scanner.scan(of, { path })[0]!.fingerprint;
  expect(print(text, 'a.ts')).toMatch(/^[0-9a-f]{16}$/);
  expect(print(`moved\n\n${text} // and more`, 'a.ts')).toBe(print(text, 'a.ts'));
  expect(print(text, 'b.ts')).not.toBe(print(text, 'a.ts'));
});

test('what the allow-list names is left out, and nothing else', () => {
  const text = of('a = AKIA', 'Q3EGRIZ7TLWBXN2K\nb = AKIA', 'Q3EGRIZ7TLWBXN2L');
  const [first] = scanner.scan(text);
  const allow = fromSecretsAllow(`# of the tests\n${first!.fingerprint.toUpperCase()} # the first\nnonsense\n`);
  expect(createSecretScanner({ digest, allow }).scan(text)).toMatchObject([{ rule: 'aws-access-key', line: 2 }]);
});

test('hostile text takes no time that grows with its square', () => {
  const size = 200_000;
  const texts = [
    'curl '.repeat(size / 5),
    '-----BEGIN PRIVATE KEY-----'.repeat(size / 27),
    'key='.repeat(size / 4),
    'eyJaaaaaaaaaaaaaaaaaaaa.'.repeat(size / 24),
    `token=${'a'.repeat(size)}`,
  ];
  // Ended by the time-out of the test where one takes minutes.
  for (const text of texts) expect(Array.isArray(scanner.scan(text))).toBe(true);
});
