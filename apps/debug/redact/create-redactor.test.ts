import { expect, test } from 'vitest';
import { formatValue } from '../render/format-value.ts';
import { createRedactor } from './create-redactor.ts';

const SECRET = 'q7-hunter2-Secret/x';

/** What a look at values shows, with what they teach. */
function show(value: unknown, env: Record<string, string> = {}): string {
  const mask = createRedactor({ env });
  mask.learn({ value });
  return formatValue(value, { mask });
}

const bytes = Buffer.from(SECRET);

test.each<[name: string, text: string, expected: string]>([
  ['as it is', `a ${SECRET} b`, 'a [masked] b'],
  ['Base64', `a ${bytes.toString('base64')} b`, 'a [masked] b'],
  ['Base64 for URLs', `a ${bytes.toString('base64url')} b`, 'a [masked] b'],
  ['Base64, behind one byte', `a ${Buffer.from(`u${SECRET}`).toString('base64')} b`, 'a [masked] b'],
  ['Base64, behind two bytes', `a ${Buffer.from(`u:${SECRET}`).toString('base64')} b`, 'a [masked] b'],
  ['Base64, between others', `a ${Buffer.from(`user:${SECRET}:more`).toString('base64')} b`, 'a [masked] b'],
  ['hexadecimal', `a ${bytes.toString('hex')} b`, 'a [masked] b'],
  ['hexadecimal, upper case', `a ${bytes.toString('hex').toUpperCase()} b`, 'a [masked] b'],
  ['percent-encoded', `a ${encodeURIComponent(SECRET)} b`, 'a [masked] b'],
  [
    'percent-encoded in each character',
    `a ${[...bytes].map((byte) => `%${byte.toString(16)}`).join('')} b`,
    'a [masked] b',
  ],
  [
    'escaped in JSON',
    `a ${Array.from(SECRET, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')} b`,
    'a [masked] b',
  ],
])('a known secret is masked completely: %s', (_name, text, expected) => {
  const mask = createRedactor({ env: {} });
  mask.learn({ password: SECRET });
  expect(mask.text(text)).toBe(expected);
});

test('a short secret in Base64', () => {
  const mask = createRedactor({ env: {} });
  mask.learn({ password: 'hunter2-' });
  expect(mask.text(`x ${btoa('hunter2-')} y`)).toBe('x [masked] y');
});

test.each<[name: string, value: unknown, shown: RegExp | string]>([
  [
    'the working folder',
    { PWD: '/home/a/b', file: '/home/a/b/c.txt' },
    '{ PWD: "/home/a/b", file: "/home/a/b/c.txt" }',
  ],
  ['a variable with its name', { pwd: '/home/a/b', x: '/home/a/b/c' }, '{ pwd: "/home/a/b", x: "/home/a/b/c" }'],
  ['a word of a name', { 'tough-cookie': ['tough'], x: 'tough luck' }, /x: "tough luck"/],
  ['a sentence as a name', { 'a cookie jar that holds no secret at all': 'strict', x: 'strict' }, /x: "strict"/],
  ['a class of cookies', { CookieJar: class CookieJar {}, x: 'Function' }, /x: "Function"/],
  ['settings of a cookie', { cookie: { domain: 'example.com', path: '/' }, x: 'example.com' }, /x: "example.com"/],
  ['an option of fetch', { credentials: 'same-origin', x: 'same-origin' }, /x: "same-origin"/],
  ['a type of files', { otp: 'application/vnd.oasis.template', x: 'createApplication' }, /x: "createApplication"/],
  [
    'a cookie in a text',
    'headers { cookie: sid=q7hunter2secret; theme=dark }',
    /^"headers \{ cookie: sid=\[masked\]; theme=dark \}"$/,
  ],
  ['a password in a URL', 'see https://user:q7hunter2@h/x now', /^"see https:\/\/user:\[masked\]@h\/x now"$/],
])('what is no secret stays: %s', (_name, value, shown) => {
  const text = show(value);
  if (typeof shown === 'string') expect(text).toBe(shown);
  else expect(text).toMatch(shown);
});

test('variables of the environment', () => {
  const env = { PWD: '/home/a/b', OLDPWD: '/home/a', HOME: '/home', DB_PASSWORD: SECRET };
  expect(show(`/home/a/b ${SECRET}`, env)).toBe('"/home/a/b [masked]"');
});
