import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteShellWord, singleQuote } from './quote-shell-word.ts';

const SHELLS = ['sh', 'bash', 'dash'];
const ASCII = Array.from({ length: 127 }, (_, at) => String.fromCharCode(at + 1));

function run(shell: string, script: string) {
  const ran = spawnSync(shell, { input: script, encoding: 'utf8', maxBuffer: 64 << 20 });
  expect(ran.error).toBeUndefined();
  return ran;
}

test.each([
  ['topic/files-2', 'topic/files-2'],
  ['user@host:path,v1+2', 'user@host:path,v1+2'],
  ['-x', '-x'],
  ['--title=plain', '--title=plain'],
  ['--title=two words', "'--title=two words'"],
  ['--title==cat', "'--title==cat'"],
  ['name=value', "'name=value'"],
  ['=cat', "'=cat'"],
  ["it's", String.raw`'it'\''s'`],
  ["''", String.raw`''\'''\'''`],
  ['a;touch b', "'a;touch b'"],
  ['a$(touch b)', "'a$(touch b)'"],
  ['a`b`', "'a`b`'"],
  ['a\nb', "'a\nb'"],
  ['a\n', "'a\n'"],
  ['~', "'~'"],
  ['%1', "'%1'"],
  ['{a,b}', "'{a,b}'"],
  ['[a]', "'[a]'"],
  ['a^b', "'a^b'"],
  ['!', "'!'"],
  ['#', "'#'"],
  ['-', "'-'"],
  ['if', "'if'"],
  ['ü', "'ü'"],
  ['', "''"],
])('%j is one word of a shell', (word, quoted) => {
  expect(quoteShellWord(word)).toBe(quoted);
});

test('text is in single quotes, also if it needs none', () => {
  expect(['plain', "it's"].map(singleQuote)).toEqual(["'plain'", String.raw`'it'\''s'`]);
});

/** Words of all ASCII characters except the null byte; the same in every run. */
function toRandomWords(count: number): string[] {
  let seed = 1;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  // Half of the characters are among those that mean something, so that they meet.
  const pools = [ASCII, '\'"\\$`=~%{}[]()^!#,-+*?<>|&; \t\n\r'.split('')];
  const pick = (): string => {
    const pool = pools[next(2)]!;
    return pool[next(pool.length)]!;
  };
  return Array.from({ length: count }, () => Array.from({ length: next(9) }, pick).join(''));
}

test.each(SHELLS)('%s returns the same words', (shell) => {
  const words = [...ASCII, ...ASCII.map((char) => `a${char}b`), 'ü', '😀', ...toRandomWords(3_000)];
  const { stdout } = run(shell, words.map((word) => `printf '%s\\0' ${quoteShellWord(word)}\n`).join(''));
  expect(stdout.split('\0').slice(0, -1)).toEqual(words);
});

test('no keyword of bash starts its construct', () => {
  const keywords = run('bash', 'compgen -k').stdout.trim().split('\n');
  expect(keywords).toContain('if');
  expect(keywords.filter((word) => quoteShellWord(word) === word)).toEqual([]);
});

test.each(SHELLS)('%s starts no construct, folder or assignment', (shell) => {
  for (const word of ['if', 'time', '!', '{', '~', 'a=b', 'a+=b', '=ls', '[[']) {
    const { status, stderr } = run(shell, `PATH=/none\n${quoteShellWord(word)}\n`);
    expect({ word, status, stderr }).toMatchObject({ word, status: 127, stderr: expect.stringContaining('not found') });
  }
});
