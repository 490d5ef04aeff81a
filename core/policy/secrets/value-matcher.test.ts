import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { createValueMatcher as create, type SecretValue } from './value-matcher.ts';

const VALUE = 'Zq7-hunter2_K9!xW4vB';
function createValueMatcher(values: readonly SecretValue[]) {
  const by = create(values);
  return { find: (text: string) => by.find(text, new TextEncoder().encode(text)) };
}
const matcher = createValueMatcher([{ name: 'token', value: VALUE }]);

/** What is left of a text when the spans that were found are taken out. */
function leftOf(text: string, by = matcher): string {
  const spans = by.find(text).sort((a, b) => b.start - a.start);
  let out = text;
  for (const { start, end } of spans) out = out.slice(0, start) + '#'.repeat(end - start) + out.slice(end);
  return out;
}

function shell(command: string, input = `KEY=${VALUE}\nOTHER=1\n`): string {
  return execFileSync('/bin/sh', ['-c', command], { input, encoding: 'latin1' });
}

/** Pipelines with what of their output gives the value away when it is left. */
const DISGUISES: readonly [command: string, leak: RegExp][] = [
  ['cat', /hunter2/],
  ['base64', /dW50ZXIy|aHVudGVy|h1bnRlcj/],
  ['base64 -w 8', /dW50|bnRl|dGVy/],
  ['base64 | tr -- "+/" "-_"', /dW50ZXIy|aHVudGVy|h1bnRlcj/],
  ['base32', /22DVNZ2GK/],
  ['od -An -tx1', /68 75 6e 74|75 6e 74 65/],
  ['od -tx1', /68 75 6e|75 6e 74|74 65 72/],
  ['od -c', / {3}h {3}u {3}n| {3}u {3}n {3}t/],
  ['od -b', /150 165 156|165 156 164/],
  ['od', /072550 072156|067165 062564/],
  ['od -x', /7568 746e|6e75 6574/],
  ['od -An -tu1', /104 117 110|117 110 116/],
  ['rev', /2retnuh/],
  ['fold -w1', /h\nu\nn\nt/],
  ['fold -w5', /q7-hu|nter2|_K9!x/],
  ["sed 's/./& /g'", /h u n t/],
  ["sed 's/./&-/g'", /h-u-n-t/],
  ['tr a-zA-Z n-za-mN-ZA-M', /uhagre2/],
  ['tr a-z A-Z', /HUNTER2/],
  ['tr "\\n" " "', /hunter2/],
  ['perl -pe "s/(.)/sprintf(q(%%%02x),ord(\\$1))/ge"', /%68%75%6e/],
  ['perl -pe "s/(.)/sprintf(q(\\\\\\\\x%02x),ord(\\$1))/ge"', /x68\\x75/],
  ['perl -ne "print join q(,), map ord, split //"', /104,117,110/],
  ['perl -ne "print unpack q(B*), \\$_"', /0110100001110101/],
  ['iconv -t UTF-16LE', /h\0u\0n\0t/],
];

describe('a value is found in what a shell makes of it', () => {
  test.each(DISGUISES)('%s', (command, leak) => {
    const output = shell(command);
    expect(output).toMatch(leak);
    expect(leftOf(output)).not.toMatch(leak);
  });

  test('a dump with offsets and a readable column, cut anywhere', () => {
    for (let before = 0; before < 20; before++) {
      const input = `${'.'.repeat(before)}${VALUE}\n`;
      const bytes = Buffer.from(input);
      for (const form of ['xxd', 'hexdump -C'] as const) {
        const left = leftOf(toDump(bytes, form));
        expect(left).not.toMatch(/68 ?75 ?6e|75 ?6e ?74|6e ?74 ?65|hunt|unter|Zq7|xW4v/);
      }
    }
  });
});

/** As the two programs print it. */
function toDump(bytes: Buffer, form: 'xxd' | 'hexdump -C'): string {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const offset = at.toString(16).padStart(8, '0');
    const ascii = row.toString('latin1').replaceAll(/[^ -~]/g, '.');
    const hex = row.toString('hex');
    if (form === 'xxd') lines.push(`${offset}: ${hex.replaceAll(/.{4}(?=.)/g, '$& ').padEnd(39)}  ${ascii}`);
    else
      lines.push(
        `${offset}  ${hex
          .replaceAll(/.{2}/g, '$& ')
          .replace(/^(.{24})/, '$1 ')
          .padEnd(50)} |${ascii}|`,
      );
  }
  return `${lines.join('\n')}\n`;
}

test('a long part of a random value is found, and a short one or one of a word is not', () => {
  const value = 'Zq7hunter2K9xW4vBt81';
  const by = createValueMatcher([
    { name: 'v', value },
    { name: 'w', value: 'https://example.internal/path' },
  ]);
  expect(leftOf(`x ${value.slice(4, 16)} y`, by)).toBe(`x ${'#'.repeat(12)} y`);
  expect(leftOf(value.slice(0, 10), by)).toBe('#'.repeat(10));
  expect(leftOf(value.slice(-10), by)).toBe('#'.repeat(10));
  expect(leftOf(value.slice(0, 9), by)).toBe(value.slice(0, 9));
  expect(leftOf('see https://example.internal/', by)).toBe('see https://example.internal/');
});

test('punctuation at the ends of a value goes with it', () => {
  const value = '!!hunter2hunter2??';
  expect(leftOf(`x ${value} y`, createValueMatcher([{ name: 'v', value }]))).toBe(`x ${'#'.repeat(value.length)} y`);
});

test('a value of punctuation and one outside ASCII are found, as they are and in hexadecimal', () => {
  for (const value of ['$%&/()=?!#*', 'пароль-секрет']) {
    const by = createValueMatcher([{ name: 'v', value }]);
    expect(leftOf(`a ${value} b`, by)).not.toContain(value);
    expect(leftOf(Buffer.from(value).toString('hex'), by)).toMatch(/^#+$/);
  }
});

test('words that only happen to make up a value stay', () => {
  const by = createValueMatcher([
    { name: 'v', value: 'correcthorse' },
    { name: 'd', value: '20261122' },
  ]);
  const text = 'That is the correct horse, on 2026-11-22.';
  expect(by.find(text)).toEqual([]);
  expect(by.find('pass: correcthorse 20261122')).toHaveLength(2);
  expect(by.find('correcthorse'.split('').join(' '))).toHaveLength(1);
});

test('ordinary output is left alone', () => {
  const text = 'src/index.ts:12:3 error TS2322\n0000000 a b c\n12 passing (3s)\n2f1c3a9 Fix the build\n';
  expect(matcher.find(text)).toEqual([]);
});
