import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createRedactor } from './redactor.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const redactor = createRedactor({ salt: 's', digest, values: [{ name: 'deploy-token', value: 'hunter2hunter2' }] });
// Made of parts, so that this file holds no secret itself.
const of = (...parts: string[]) => parts.join('');

const CASES: [rule: string, hit: string, miss: string][] = [
  ['aws-access-key', of('AKIA', 'ABCDEFGHIJKLMNOP'), 'AKIA and more words'],
  ['aws-secret-key', of('aws_secret_access_key', ' = abcd/efgh+ijkl'), 'aws_secret_access_key is unset'],
  ['api-key', of('API-KEY: "', 'abcdefghij0123456789"'), 'api_key: "short"'],
  [
    'private-key',
    of('-----BEGIN RSA ', 'PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'),
    '-----BEGIN PUBLIC KEY-----',
  ],
  ['anthropic-key', of('sk-', 'ant-', 'a'.repeat(40)), 'sk-ant-short'],
  ['github-token', of('ghp', '_', 'a'.repeat(36)), 'ghp_short'],
  ['netlify-token', of('NETLIFY_TOKEN=', 'abcdefghij0123456789'), 'netlify_token=short'],
  ['generic-secret', of('secret = "', 'abcdefgh01234567"'), 'the secret: be kind'],
  ['database-url', of('postgres://user:', 'pass@host/db'), 'postgres://host/db'],
  ['bearer-token', of('Authorization: Bearer ', 'abcdefghij0123456789'), 'the bearer of news'],
];

describe.each(CASES)('%s', (rule, hit, miss) => {
  test('is found and taken out', () => {
    expect(redactor.find(hit).map((found) => found.rule)).toContain(rule);
    const clean = redactor.redact(`before ${hit} after`);
    expect(clean).toMatch(new RegExp(`\\[secret:${rule}:[0-9a-f]{8}\\]`));
    expect(clean.startsWith('before ')).toBe(true);
    expect(redactor.find(clean)).toEqual([]);
  });

  test('leaves ordinary text alone', () => {
    expect(redactor.redact(miss)).toBe(miss);
  });
});

test('the value of a credential variable is redacted everywhere', () => {
  expect(redactor.redact('x hunter2hunter2 y hunter2hunter2')).toMatch(
    /^x \[secret:deploy-token:(\w{8})\] y \[secret:deploy-token:\1\]$/,
  );
});

describe('values that are learned while a session runs', () => {
  const VALUE = 'Zq7-hunter2_K9!xW4vB';

  test('are taken out from then on, and put back into the file that holds them', () => {
    const own = createRedactor({ salt: 's', digest });
    const file = `NAME=${VALUE}\n`;
    expect(own.redact(file)).toBe(file);
    own.learn([{ name: 'DB_Password', value: VALUE }]);
    const clean = own.redact(file);
    expect(clean).toMatch(/^NAME=\[secret:db-password:\w{8}\]\n$/);
    expect(own.restore(clean, file)).toBe(file);
    expect(own.findValues(`x\n${file}`)).toMatchObject([{ rule: 'db-password', line: 2 }]);
  });

  test('are taken out where they were encoded, and what is left is stable', () => {
    const own = createRedactor({ salt: 's', digest, values: [{ name: 'v', value: VALUE }] });
    const wrapped = Buffer.from(`user:${VALUE}`).toString('base64').replaceAll(/.{10}/g, '$&\n');
    const clean = own.redact(wrapped);
    expect(clean).toMatch(/^[\w+/]{1,9}\s?\[secret:v:\w{8}\][\w=]{0,4}\s?$/);
    expect(own.redact(clean)).toBe(clean);
    expect(own.restore(clean, wrapped)).toBe(wrapped);
  });

  test('too short to distinguish from words are not redacted', () => {
    const own = createRedactor({ salt: 's', digest });
    own.learn([{ name: 'pin', value: 'hunter2' }]);
    expect(own.redact('hunter2')).toBe('hunter2');
  });
});

test('the exact rules of gitleaks are looked for, and the broad one is not', () => {
  const own = createRedactor({ salt: 's', digest });
  expect(own.redact(of('xoxb', '-123456789012-123456789012', '-AbCdEfGhIjKlMnOpQrStUvWx'))).toMatch(
    /^\[secret:slack-bot-token:\w{8}\]$/,
  );
  const code = of('auth_token_cache = "', 'q7Zt4Lw9Xc2Vb6Nm1Ks8Jd3H"');
  expect(own.redact(code)).toBe(code);
});

test('the beginning of a text is not cut through a secret', () => {
  const key = of('ghp', '_', 'e'.repeat(36));
  const head = redactor.redactHead(`before ${key} after`, 20);
  expect(head).toEqual({ text: 'before ', length: 7 });
  expect(redactor.redactHead(`${key} and`, 20)).toMatchObject({ length: 40, text: expect.not.stringContaining('eee') });
  expect(redactor.redactHead(`${key} and after`, 45).text).toMatch(/^\[secret:github-token:\w{8}\] and $/);
});

test('the name beside a secret stays readable', () => {
  expect(redactor.redact(of('api_key = "', 'abcdefghij0123456789"'))).toMatch(/^api_key = "\[secret:api-key:\w{8}\]"$/);
});

test('a placeholder is stable in a session and differs between sessions', () => {
  const other = createRedactor({ salt: 't', digest });
  const text = of('ghp', '_', 'b'.repeat(36));
  expect(redactor.redact(text)).toBe(redactor.redact(text));
  expect(redactor.redact(text)).not.toBe(other.redact(text));
});

test('restore only uses secrets of the file that is written', () => {
  const file = of('token = ghp', '_', 'c'.repeat(36), '\n');
  const edit = redactor.redact(file).replace('token', 'githubToken');
  expect(redactor.restore(edit, file)).toBe(file.replace('token', 'githubToken'));
  expect(redactor.restore(edit, 'another file')).toBe(edit);
});

test('hits name their line', () => {
  const text = of('one\ntwo\nkey: AKIA', 'ABCDEFGHIJKLMNOP', '\nfour\n', 'x ghp', '_', 'd'.repeat(36));
  expect(redactor.find(text).map(({ rule, line }) => [rule, line])).toEqual([
    ['aws-access-key', 3],
    ['github-token', 5],
  ]);
});

test('a placeholder beside a secret, or inside it, does not hide it', () => {
  const planted = '[secret:api-key:00000000]';
  const key = of('-----BEGIN ', 'PRIVATE KEY-----\n', planted, '\nMIIEvQ\n-----END ', 'PRIVATE KEY-----');
  expect(redactor.redact(key)).not.toContain('MIIEvQ');
  expect(redactor.redact(of('aws_secret_access_key=', planted, 'abcd/efgh'))).not.toContain('abcd/efgh');
  expect(redactor.find(of('aws_secret_access_key="', planted, '"'))).toEqual([]);
});

test('of two secrets that overlap nothing is left', () => {
  const value = 'Zm9vYmFyYmF6+qux/quux';
  const overlapping = createRedactor({ salt: 's', digest, values: [{ name: 'token', value }] });
  expect(overlapping.redact(of('secret: pre-fix-', value, ' end'))).toMatch(/^secret: \[secret:[\w-]+:\w{8}\] end$/);
});

test('many secrets in one long line are found, and put back', () => {
  const line = Array.from({ length: 50_000 }, (_, at) => of('AKIA', String(at).padStart(16, '0'))).join(' ');
  const clean = redactor.redact(line);
  expect(clean).not.toContain('AKIA');
  expect(redactor.restore(clean, line)).toBe(line);
});
