import { expect, test } from 'vitest';
import { findScripts } from './script-use.ts';

const W = '/w';
const files = (line: string, contents: Record<string, string> = {}) =>
  [...findScripts(line, { workspace: W, files: new Map(Object.entries(contents)) }).files].map((path) =>
    path.replace(/^\/w\//, ''),
  );

test.each([
  ['sh s.sh', 's.sh'],
  ['bash -eu -o pipefail tools/s.sh one', 'tools/s.sh'],
  ['. ./s.sh', 's.sh'],
  ['source s.sh && f', 's.sh'],
  ['./s.sh', 's.sh'],
  ['bin/tool --flag', 'bin/tool'],
  ['cd tools && python3 s.py', 'tools/s.py'],
  ['python3 -m pkg.tool', 'pkg/tool.py'],
  ['python3 app', 'app/__main__.py'],
  ['node --require ./r.js s.js', 'r.js'],
  ['node --import=./r.mjs s.js', 'r.mjs'],
  ['tsx s.ts', 's.ts'],
  ['deno run -A s.ts', 's.ts'],
  ['Rscript s.R', 's.R'],
  ['lua s.lua', 's.lua'],
  ['php -f s.php', 's.php'],
  ['ruby -I lib s.rb', 's.rb'],
  ['awk -f s.awk data.txt', 's.awk'],
  ['awk -fs.awk data.txt', 's.awk'],
  ['sed -n --file=s.sed data.txt', 's.sed'],
  ['make test', 'Makefile'],
  ['make -C sub test', 'sub/Makefile'],
  ['make -fbuild.mk', 'build.mk'],
  ['just build', 'justfile'],
  ['env A=1 timeout 5 sh s.sh', 's.sh'],
  ['echo s.sh | xargs sh', 's.sh'],
  ['sh -c "sh s.sh"', 's.sh'],
  ['sh < s.sh', 's.sh'],
  ['cat s.sh | sh', 's.sh'],
  ['git -c alias.x="!sh s.sh" x', 's.sh'],
  ['PATH=$PWD/tools:$PATH go-on', 'tools/go-on'],
  ['npx tool', 'node_modules/.bin/tool'],
  ['curl https://example.com/', 'node_modules/.bin/curl'],
  ['time sh s.sh', 'node_modules/.bin/time'],
  ['xargs -n 1 mytool', 'node_modules/.bin/mytool'],
  ['cd sub && pytest', '.venv/bin/pytest'],
  ['BASH_ENV=./e.sh bash -c true', 'e.sh'],
  ['NODE_OPTIONS="--require ./p.js" node -e 0', 'p.js'],
  ['PYTHONPATH=lib python3 -c "import z"', 'lib/z.py'],
  ['python3 -c "import z"', 'z.py'],
  ['python3 -m unittest t', 't.py'],
  ['npm run x', '.npmrc'],
  ['go run main.go', 'main.go'],
  ['java Main.java', 'Main.java'],
])('%s runs %s', (line, file) => {
  expect(files(line)).toContain(file);
});

test('the program that the first line of a script names is found in it', () => {
  expect(files('./run', { '/w/run': '#!/usr/bin/env -S myint --fast\n' })).toContain('node_modules/.bin/myint');
});

test('a line whose variables load code cannot be remembered', () => {
  expect(findScripts('BASH_ENV=./e.sh bash -c true', { workspace: W }).isComplete).toBe(false);
  expect(findScripts('LANG=C bash s.sh', { workspace: W }).isComplete).toBe(true);
});

test('scripts that a known script runs are found in it', () => {
  expect(files('sh a.sh', { '/w/a.sh': 'python3 b.py\n. ./c.sh\n' })).toEqual(
    expect.arrayContaining(['a.sh', 'b.py', 'c.sh']),
  );
  expect(files('make', { '/w/Makefile': 'include x.mk\nall:\n\tsh a.sh\n' })).toEqual(
    expect.arrayContaining(['Makefile', 'x.mk', 'a.sh']),
  );
  expect(files('python3 a.py', { '/w/a.py': 'import b\nfrom lib import c\n' })).toEqual(
    expect.arrayContaining(['b.py', 'lib.py', 'lib/c.py']),
  );
});

test('data of a program that runs no files is no script', () => {
  const data = (line: string) => files(line).filter((path) => !/bin\/\w+$/.test(path));
  expect(data('cat a.txt')).toEqual([]);
  expect(data('sed -n 1,5p a.txt')).toEqual([]);
  expect(data('git commit -m x a.txt')).toEqual([]);
});

test('the scripts of package.json are named with their folder', () => {
  expect(findScripts('npm run build', { workspace: W }).packages).toEqual([{ folder: '/w', script: 'build' }]);
  expect(findScripts('npm t', { workspace: W }).packages).toEqual([{ folder: '/w', script: 'test' }]);
  expect(findScripts('cd sub && yarn lint', { workspace: W }).packages).toContainEqual({
    folder: '/w/sub',
    script: 'lint',
  });
  expect(findScripts('npm --prefix sub test', { workspace: W }).packages).toContainEqual({
    folder: '/w/sub',
    script: 'test',
  });
});

test('a name that is only known at run time is said', () => {
  expect(findScripts('sh "$FILE"', { workspace: W }).isComplete).toBe(false);
  expect(findScripts('sh scripts/*.sh', { workspace: W }).isComplete).toBe(false);
  expect(findScripts('sh s.sh', { workspace: W }).isComplete).toBe(true);
});
