import { expect, test } from 'vitest';
import { findModes, setsUserId } from './file-mode.ts';

test.each([
  ...['4755', '2755', '6755', '04755', '0004755', '7777', '+4000', '=6000', 'u+s', 'g+s', 'ug+s', '+s', 'a+s', 'a=rxs'],
  ...['u=rwxs', 'u=rwx,g+s', 'u+x+s', 'u-x+s', 'go=rxs', '=s', 'u+xs', 'u+st', '-x,u+s'],
])('%s sets it', (mode) => {
  expect(setsUserId(mode)).toBe(true);
});

test.each([
  ...['755', '0755', '1777', '00644', '+x', 'u+x', '-s', 'u-s', 'g-s,o+x', 'o+s', 'a=rx', '+t', 'u=g', '-4000', '=755'],
  ...['node_modules/.bin/prettier', 'scripts/users.sh', 'src', 'docs', 'bugs+s', 'a,gs', 'u+rwx,go=rX', ''],
])('%s does not', (mode) => {
  expect(setsUserId(mode)).toBe(false);
});

test.each([
  ['+x node_modules/.bin/prettier', '+x'],
  ['-R u+w dist', 'u+w'],
  ['--recursive -v 4755 bin', '4755'],
  ['-x,u+s a.sh', '-x,u+s a.sh'],
  ['-- -w a.sh', '-w'],
])('the modes of chmod %s', (args, modes) => {
  expect(findModes(args.split(' '))).toEqual(modes.split(' '));
});
