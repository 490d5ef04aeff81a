import { expect, test } from 'vitest';
import { judgeCommand } from '../judge-command.ts';

const judge = (line: string) => judgeCommand(line, { workspace: '/w', isOffline: true });
const HIDDEN = 'a[$(rm -rf .git)]';

test.each([
  `let '${HIDDEN}=1'`,
  `bash -c 'let "a[\\$(rm -rf .git/objects)]=1"'`,
  `printf -v '${HIDDEN}' x`,
  `read '${HIDDEN}'`,
  `test -v '${HIDDEN}'`,
  `[ -v '${HIDDEN}' ]`,
  `[[ -v '${HIDDEN}' ]]`,
  `[[ '${HIDDEN}' -eq 1 ]]`,
  `mapfile '${HIDDEN}' < x`,
  `mapfile -C 'rm -rf .git #' -c 1 m < x`,
  `declare '${HIDDEN}=1'`,
  `declare -i x='${HIDDEN}'`,
  `unset '${HIDDEN}'`,
  `wait -p '${HIDDEN}'`,
  `x='${HIDDEN}'; (( x ))`,
  `x='${HIDDEN}'; echo $((x + 1))`,
  `x='${HIDDEN}'; y=abc; echo \${y:x}`,
  `x='${HIDDEN}'; b=(1 2); echo \${b[x]}`,
  `x='${HIDDEN}'; echo \${!x}`,
  `z='${HIDDEN}'; x=z; (( x ))`,
  `x='$(rm -rf .git)'; echo \${x@P}`,
  "x='a[`rm -rf .git`]'; (( x ))",
  'tar cf x --remove-files .git/objects',
  'tar -C .git --remove-f -cf x objects',
  'zip -rm x.zip .git',
  '7z a -sdel x.7z .git',
])('%s is denied', (line) => {
  expect(judge(line).verdict).toBe('deny');
});

test.each([
  "env 'BASH_FUNC_ls%%=() { rm -rf .git; }' bash -c ls",
  'export BASH_ENV; bash -c ls',
  "PS4='$(rm -rf .git)' bash -xc ls",
  'tar cf x.tar --remove-files src',
  "sed -i 's/vitest/rm -rf x/' package.json",
  "sqlite3 :memory: '.output .git/HEAD' 'select 1'",
  "sqlite3 x.db '.ou .git/HEAD'",
  'sqlite3 x.db "vacuum into \'.git/HEAD\'"',
  "sqlite3 x.db '.she ls'",
  "vim -es -c 'w! .git/HEAD' -c q README.md",
  "vim -es README.md <<< 'w! .git/HEAD'",
  "printf 'w .git/HEAD\\nq\\n' | ed -s README.md",
  "gdb -batch -ex 'she rm -rf .git' ./a",
  "gdb -batch -ex 'run -rf .git' /bin/rm",
  "gdb -batch -ex 'print system(1)' ./a",
  "ssh -o ProxyCommand='rm -rf x' host",
  'curl -K options',
])('%s is asked about', (line) => {
  expect(judge(line).verdict).toBe('ask');
});

test('what is quoted for other programs is text', () => {
  expect(judge(`echo '${HIDDEN}'`).verdict).toBe('allow');
  expect(judge(`git commit -m '${HIDDEN}'`).verdict).toBe('allow');
});

test('a command is read from its folder', () => {
  const at = (cwd: string) => judgeCommand('rm -rf objects', { workspace: '/w', cwd }).verdict;
  expect([at('/w'), at('/w/.git')]).toEqual(['allow', 'deny']);
});
