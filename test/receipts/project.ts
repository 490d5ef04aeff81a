/** A small project with real tests for Node's own runner: `add` is correct, `subtract` is wrong until it is fixed. */
export const ADD = 'export const add = (a, b) => a + b;\n';
export const WRONG = 'export const subtract = (a, b) => a + b;\n';
export const RIGHT = 'export const subtract = (a, b) => a - b;\n';

const TEST = (name: string, line: string): string =>
  `import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { ${name} } from '../src/${name}.js';\n\ntest('${name}s', () => {\n  ${line}\n});\n`;

export const ADD_TEST = TEST('add', 'assert.equal(add(2, 1), 3);\n  assert.equal(add(0, 0), 0);');
export const SUBTRACT_TEST = TEST('subtract', 'assert.equal(subtract(2, 1), 1);\n  assert.equal(subtract(0, 0), 0);');

/** A test for each entry of `test/cases.json`. */
export const EACH =
  "import test from 'node:test';\nimport { readFileSync } from 'node:fs';\nimport assert from 'node:assert/strict';\nconst all = JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8'));\nfor (const n of all) test('case ' + n, () => assert.ok(n));\n";

const PACKAGE = {
  name: 'sums',
  type: 'module',
  scripts: {
    test: 'node --test',
    check: 'sh scripts/check.sh',
    lint: 'node scripts/lint.js',
    build: 'mkdir -p dist && cp src/*.js dist/',
  },
};

/** @param isFixed True if `subtract` is correct from the beginning. */
export function toProject(isFixed = false): Record<string, string> {
  return {
    'package.json': `${JSON.stringify(PACKAGE, undefined, 2)}\n`,
    'src/add.js': ADD,
    'src/subtract.js': isFixed ? RIGHT : WRONG,
    'test/add.test.js': ADD_TEST,
    'test/subtract.test.js': SUBTRACT_TEST,
    'scripts/check.sh': 'set -e\nnode --test\n',
    'scripts/lint.js':
      "import { readFileSync } from 'node:fs';\nif (/var /.test(readFileSync('src/subtract.js', 'utf8'))) process.exit(1);\nconsole.log('clean');\n",
    'README.md': '# Sums\n',
  };
}
