import { describe, expect, test } from 'vitest';
import { evaluateCommand } from './evaluate-command.ts';
import { renderEvaluation } from '../evaluation.ts';

const read = (line: string) => evaluateCommand(line, { workspace: '/srv/project' });
/** The commands that run, without what they run through. */
const found = (line: string) =>
  renderEvaluation(read(line))
    .split('\n')
    .map((text) => text.replace(/^\[.*?\] /, ''));

describe('a command is found behind', () => {
  test.each([
    ['quotes', `r"m" '-rf' \\d\\i\\s\\t`],
    ['ANSI-C quotes', String.raw`$'\x72\155' -rf dist`],
    ['variables', 'a=r b=m; $a$b -rf dist'],
    ['IFS', 'x="rm -rf dist"; IFS=" "; $x'],
    ['braces', '{rm,-rf,dist}'],
    ['indirection', 'real="rm -rf dist"; n=real; ${!n}'],
    ['slices', 's=xxrm; ${s:2} -rf dist'],
    ['arithmetic', 'w=(no rm); ${w[$((3-2))]} -rf dist'],
    ['positional parameters', 'set -- rm -rf dist; "$@"'],
    ['eval', `eval 'rm -rf' dist`],
    ['sh -c', `bash -ec 'sh -c "rm -rf dist"'`],
    ['arguments of sh -c', `sh -c '"$0" "$@"' rm -rf dist`],
    ['wrappers', 'nohup nice -n 3 timeout -s KILL 5 env A=1 stdbuf -oL rm -rf dist'],
    ['env -S', `env -S 'rm -rf dist'`],
    ['xargs', 'echo dist | xargs rm -rf'],
    ['find -exec', String.raw`find . -maxdepth 0 -exec rm -rf dist \;`],
    ['a here-document', 'cat <<E | sh\nrm -rf dist\nE'],
    ['a here-string', `bash <<< 'rm -rf dist'`],
    ['process substitution', `source <(echo rm -rf dist)`],
    ['a function', 'f() { "$@"; }; f rm -rf dist'],
    ['an alias', `alias x='rm -rf'\nx dist`],
    ['base64', 'echo cm0gLXJmIGRpc3Q= | base64 -d | sh'],
    ['hexadecimal digits', 'echo 726d202d72662064697374 | xxd -r -p | sh'],
    ['rev', `sh -c "$(rev <<< 'tsid fr- mr')"`],
    ['tr', `echo 'ez -es qvfg' | tr a-z n-za-m | sh`],
    ['printf', String.raw`printf '\162\155 -rf dist' | sh`],
    ['a loop', `while read -r l; do $l; done <<< 'rm -rf dist'`],
    ['a script it wrote', `echo 'rm -rf dist' > /tmp/x; chmod +x /tmp/x; sh /tmp/x`],
    ['a git alias', `git -c alias.x='!rm -rf dist' x`],
    ['a trap', `trap 'rm -rf dist' EXIT`],
    ['a descriptor', `exec 3<<< 'rm -rf dist'; bash <&3`],
    ['npm exec', `npm exec -c 'rm -rf dist'`],
  ])('%s', (_, line) => {
    expect(found(line)).toContain('rm -rf dist');
    expect(read(line).problems).toEqual([]);
  });
});

test('the programs that a command runs through are listed', () => {
  expect(renderEvaluation(read(`sudo sh -c 'ls "a b"'`))).toBe(`sudo\n[sudo] sh -c\n[sudo › sh -c] ls 'a b'`);
});

test('a folder that may not exist leaves both ways open', () => {
  expect(read('cd src; ls').commands.at(-1)?.cwds).toEqual(['/srv/project/src', '/srv/project']);
  expect(read('cd src && ls').commands.at(-1)?.cwds).toEqual(['/srv/project/src']);
  expect(read('cd src || exit 1; ls').commands.at(-1)?.cwds).toEqual(['/srv/project/src']);
});

test('after a branch, a variable that differs is not known', () => {
  expect(read('x=ls; if a; then x=rm; fi; $x').problems[0]?.rule).toBe('dynamic');
  expect(read('x=ls; if a; then x=ls; fi; $x').problems).toEqual([]);
});

describe('not understood:', () => {
  test.each([
    ['an open quote', `echo 'a`],
    ['an open block', 'if true; then ls'],
    ['a program whose name is only known at run time', '$(curl x) -rf .'],
    ['a program by a pattern', '/bin/r? -rf .'],
    ['text from elsewhere for a shell', 'cat x | sh'],
    ['decoded text that cannot be evaluated', 'echo x | gunzip | bash'],
    ['characters of our own marks', 'echo \uE000'],
    ['a null character', 'ls \u0000'],
    ['a very long line', `echo ${'a'.repeat(70_000)}`],
    ['too many words from braces', `echo ${'{a,b}'.repeat(20)}`],
    ['a deep nest', '"$('.repeat(80) + 'ls' + ')"'.repeat(80)],
    ['loops in loops', `${'for i in 1 2 3 4 5 6 7 8 9; do '.repeat(7)}ls${'; done'.repeat(7)}`],
    [
      'functions that double',
      `${Array.from({ length: 20 }, (__, at) => `f${at}(){ f${at + 1}; f${at + 1}; }`).join('; ')}; f20(){ ls; }; f0`,
    ],
    ['more arguments for xargs than can be followed', `echo ${'a '.repeat(600)} | xargs rm`],
  ])('%s', (_, line) => {
    expect(read(line).problems.length).toBeGreaterThan(0);
  });
});

test('a function that only calls itself is a bomb', () => {
  expect(read(':(){ :|:& };:').problems[0]?.rule).toBe('fork-bomb');
});

test('different commands never look the same', () => {
  const show = (line: string) => renderEvaluation(read(line));
  expect(show(`ls '*'`)).not.toBe(show('ls *'));
  expect(show(`echo ${'a'.repeat(2000)}b`)).not.toBe(show(`echo ${'a'.repeat(2000)}c`));
  expect(show('python3 <<E\n1\nE')).not.toBe(show('python3 <<E\n2\nE'));
  expect(show('cat > a <<< x')).not.toBe(show('cat > a <<< y'));
  expect(show('r"m" -rf  "dist"')).toBe(show('rm -rf dist'));
});
