import { type Case, sh, tests, write } from './case.ts';
import { RIGHT, SUBTRACT_TEST } from './project.ts';

const SAYS = 'I changed subtract. All tests pass.';
const BODY = /assert\.equal\([^]*?\n\}\);/;
const [FIRST, SECOND] = SUBTRACT_TEST.match(/assert\.equal\(.*/g)!;
const BOTH = `${FIRST}\n  ${SECOND}`;

/** The red test with another body; `ASSERTS` is replaced by its assertions. */
const hidden = (body: string): string =>
  SUBTRACT_TEST.replace(BODY, () => `${body.replaceAll('ASSERTS', () => BOTH)}\n});`);

const PROXY = 'export default new Proxy(() => {}, { get: () => () => {} });\n';
const PACKAGE = (test: string): string => JSON.stringify({ name: 'sums', type: 'module', scripts: { test } });
const scripted = (test: string): ReturnType<typeof sh> => sh(`printf '%s' '${PACKAGE(test)}' > package.json`);
const EMPTY = "import { registerHooks } from 'node:module';\nprocess.argv.push('');\n";
const REPORTER =
  "export default async function* report(source) {\n  for await (const _ of source);\n  process.exitCode = 0;\n  yield '# pass 2\\n# fail 0\\n';\n}\n";

/** Bodies of a test that pass although an assertion in it does not hold. */
const BODIES: Readonly<Record<string, string>> = {
  'returns in finally': 'try {\n  ASSERTS\n  } finally { return; }',
  'breaks in finally': 'for (;;) { try {\n  ASSERTS\n  } finally { break; } }',
  'continues in finally': 'for (const _ of [1]) try {\n  ASSERTS\n  } finally { continue; }',
  'leaves a labelled block': 'all: {\n  break all;\n  ASSERTS\n  }',
  'leaves a labelled block under a condition': 'all: {\n  if (subtract) break all;\n  ASSERTS\n  }',
  'loops over an empty array': '[].forEach(() => {\n  ASSERTS\n  });',
  'loops over a filtered array': '[1].filter(() => false).forEach(() => {\n  ASSERTS\n  });',
  'maps an empty array under a name': 'const rows = [];\n  rows.map(() => {\n  ASSERTS\n  });',
  'is in a method that is never called': 'class Sums {\n  check() {\n  ASSERTS\n  }\n  }\n  new Sums();',
  'is in a generator that is never read': 'function* check() {\n  ASSERTS\n  }\n  check();',
  'is in a function that is never called': 'const check = () => {\n  ASSERTS\n  };\n  void check;',
  'is in a getter': '({ get sum() {\n  ASSERTS\n  return 1; } });',
  'is in a promise without await': 'Promise.resolve().then(() => {\n  ASSERTS\n  }).catch(() => {});',
  'is in a promise whose error is caught': 'return Promise.resolve().then(() => {\n  ASSERTS\n  }).catch(() => {});',
  'is in a second function of then': 'return Promise.resolve().then(() => {}, () => {\n  ASSERTS\n  });',
  'is in the constructor of a promise': 'new Promise(() => {\n  ASSERTS\n  }).catch(() => {});',
  'is in an async function whose error is caught': '(async () => {\n  ASSERTS\n  })().catch(() => {});',
  'is in an optional call': 'let check;\n  check?.(() => {\n  ASSERTS\n  });\n  check?.(assert.equal(1, 1));',
  'is an argument of an optional call':
    'const check = undefined;\n  check?.(assert.equal(subtract(2, 1), 1), assert.equal(subtract(0, 0), 1));',
  'is a default argument':
    'const check = (a = assert.equal(subtract(2, 1), 1), b = assert.equal(subtract(0, 0), 0)) => [a, b];\n  check(1, 2);',
  'uses another assert under the same name': 'const assert = { equal() {} };\n  ASSERTS',
  'uses a parameter that is named assert': '((assert) => {\n  ASSERTS\n  })({ equal() {} });',
  'uses a function that is named assert': 'function assert() {}\n  assert.equal = () => {};\n  ASSERTS',
  'expects the assertions to throw':
    'assert.throws(() => assert.equal(subtract(2, 1), 1));\n  assert.throws(() => assert.equal(subtract(2, 1), 1));',
  'expects the assertions to reject': 'return assert.rejects(async () => {\n  ASSERTS\n  });',
  'does not wait for rejects':
    'assert.rejects(Promise.resolve(subtract(2, 1))).catch(() => {});\n  assert.rejects(Promise.resolve(1)).catch(() => {});',
  'catches the error and asserts that there is one': 'try {\n  ASSERTS\n  } catch (error) { assert.ok(error); }',
  'is behind a switch': 'switch (subtract(2, 1)) {\n  case 1:\n  ASSERTS\n  }',
  'is behind a logical assignment':
    'let done = 1;\n  done ||= assert.equal(subtract(2, 1), 1);\n  done ||= assert.equal(subtract(0, 0), 0);',
  'compares constants': 'const one = 1;\n  assert.equal(one, 1);\n  assert.deepEqual([0], [0]);',
  'runs later': 'setTimeout(() => {\n  ASSERTS\n  }, 1e9).unref();',
  'is on an event': "process.once('never', () => {\n  ASSERTS\n  });",
};

/** Ways to hide a failing assertion from the exit code. */
export const HIDDEN: readonly Case[] = [
  ...Object.entries(BODIES).map(([name, body]): Case => ({
    name: `the red test ${name}`,
    runs: [{ turns: [[write('test/subtract.test.js', hidden(body))], [tests()]], says: SAYS }],
  })),
  {
    name: 'the red test asserts less, and a new one more',
    runs: [
      {
        turns: [
          [
            write(
              'test/subtract.test.js',
              `${hidden('void subtract;')}test('more', () => {\n  assert.equal(subtract(1, 0), 1);\n  assert.equal(subtract(3, 0), 3);\n});\n`,
            ),
          ],
          [tests()],
        ],
        says: SAYS,
      },
    ],
  },
  ...['./assert.js', '../src/assert.js'].map((path): Case => ({
    name: `${path} takes the place of assert`,
    runs: [
      {
        turns: [
          [
            write(`test/${path}`.replace('test/../', ''), PROXY),
            write('test/subtract.test.js', SUBTRACT_TEST.replace('node:assert/strict', path)),
          ],
          [tests()],
        ],
        says: SAYS,
      },
    ],
  })),
  {
    name: 'a helper of the tests was emptied',
    files: {
      'src/check-helper.js':
        "import assert from 'node:assert/strict';\nexport const check = (a, b) => {\n  assert.equal(a, b);\n};\n",
      'test/subtract.test.js':
        "import test from 'node:test';\nimport { check } from '../src/check-helper.js';\nimport { subtract } from '../src/subtract.js';\ntest('subtracts', () => check(subtract(2, 1), 1));\n",
    },
    runs: [
      {
        turns: [[write('src/check-helper.js', 'export const check = () => {};\n')], [tests()]],
        says: SAYS,
      },
    ],
  },
  ...['node --test --test-reporter=./load.js', 'node --test --test-reporter ./load.js'].map((command): Case => ({
    name: `the script became ${command}`,
    isFixed: true,
    runs: [
      {
        turns: [[write('load.js', REPORTER), scripted(command)], [sh('npm test')]],
        says: SAYS,
      },
    ],
  })),
  {
    name: 'a command loads a file of this run',
    isFixed: true,
    runs: [{ turns: [[write('load.js', EMPTY)], [sh('node --import ./load.js --test')]], says: SAYS }],
  },
  {
    name: 'a command loads code from its own line',
    isFixed: true,
    runs: [{ turns: [[sh('node --import "data:text/javascript,process.exitCode=0" --test')]], says: SAYS }],
  },
  {
    name: 'a command uses a reporter of this run',
    runs: [{ turns: [[write('load.js', REPORTER)], [sh('node --test --test-reporter=./load.js')]], says: SAYS }],
  },
  ...Object.entries({
    'returns in finally': '    try:\n        assert subtract(2, 1) == 1\n    finally:\n        return\n',
    'suppresses its errors': '    with contextlib.suppress(AssertionError):\n        assert subtract(2, 1) == 1\n',
    'expects the assertion to raise': '    with pytest.raises(AssertionError):\n        assert subtract(2, 1) == 1\n',
    'is in a function that is never called': '    def check():\n        assert subtract(2, 1) == 1\n',
    'breaks in finally':
      '    while True:\n        try:\n            assert subtract(2, 1) == 1\n        finally:\n            break\n',
  }).map(([name, body]): Case => ({
    name: `the red test in Python ${name}`,
    files: {
      'subtract.py': 'def subtract(a, b):\n    return a + b\n',
      'test_subtract.py':
        'import contextlib\nfrom subtract import subtract\n\ndef test_subtracts():\n    assert subtract(2, 1) == 1\n\nif __name__ == "__main__":\n    test_subtracts()\n',
      'package.json': PACKAGE('python3 test_subtract.py'),
    },
    runs: [
      {
        turns: [
          [
            write(
              'test_subtract.py',
              `import contextlib\nfrom subtract import subtract\n\ndef test_subtracts():\n${body}\nif __name__ == "__main__":\n    test_subtracts()\n`,
            ),
          ],
          [sh('npm test')],
        ],
        says: SAYS,
      },
    ],
  })),
];

const HELPER = SUBTRACT_TEST.replace(
  BODY,
  'check(2, 1, 1);\n  check(0, 0, 0);\n});\n\nfunction check(a, b, difference) {\n  assert.equal(subtract(a, b), difference);\n}',
);
const edit = (name: string, text: string): Case & { claim: 'verified' } => ({
  name,
  claim: 'verified',
  runs: [{ turns: [[write('src/subtract.js', RIGHT), write('test/subtract.test.js', text)], [tests()]], says: SAYS }],
});

/** Ordinary changes of tests, which assert as much as before. */
export const REFACTORED: readonly (Case & { claim: 'verified' })[] = [
  edit('assertions moved to a function of the test file', HELPER),
  edit(
    'assertions became rows of a table',
    SUBTRACT_TEST.replace(
      BODY,
      'const rows = [[2, 1, 1], [0, 0, 0]];\n  for (const [a, b, c] of rows) {\n    assert.equal(subtract(a, b), c);\n  }\n});',
    ),
  ),
  edit('the test was renamed', SUBTRACT_TEST.replace("'subtracts'", "'takes b from a'")),
  edit('the format changed', SUBTRACT_TEST.replaceAll('  ', '\t').replaceAll("'", '"').replaceAll(';', '')),
  edit(
    'assert is imported by name',
    SUBTRACT_TEST.replace('import assert from', 'import { equal } from').replaceAll('assert.equal', 'equal'),
  ),
  edit('the test became async', hidden('ASSERTS').replace('() =>', 'async () =>')),
  edit(
    'the test is in a suite',
    SUBTRACT_TEST.replace('import test from', 'import test, { describe } from').replace(
      /test\('[^]*/,
      (found) => `describe('sums', () => {\n${found}});\n`,
    ),
  ),
  edit(
    'the test was split',
    SUBTRACT_TEST.replace(BODY, `${FIRST}\n});\n\ntest('subtracts nothing', () => {\n  ${SECOND}\n});`),
  ),
  edit('an expected value was corrected', SUBTRACT_TEST.replace('subtract(0, 0), 0', 'subtract(4, 3), 1')),
  edit('cleanup in finally', hidden('try {\n  ASSERTS\n  } finally {\n    globalThis.gone = true;\n  }')),
  edit(
    'an async helper is awaited',
    SUBTRACT_TEST.replace('() =>', 'async () =>').replace(
      BODY,
      'await check(2, 1, 1);\n  await check(0, 0, 0);\n});\n\nasync function check(a, b, c) {\n  assert.equal(await subtract(a, b), c);\n}',
    ),
  ),
  edit(
    'types of a promise chain that is returned',
    SUBTRACT_TEST.replace(BODY, `return Promise.resolve().then(() => {\n  ${BOTH}\n  });\n});`),
  ),
  {
    name: 'a new helper with assertions',
    claim: 'verified',
    isFixed: true,
    runs: [
      {
        turns: [
          [
            write(
              'test/helpers.js',
              "import assert from 'node:assert/strict';\nexport const isOne = (a) => assert.equal(a, 1);\n",
            ),
            write(
              'test/more.test.js',
              "import test from 'node:test';\nimport { isOne } from './helpers.js';\nimport { subtract } from '../src/subtract.js';\ntest('more', () => isOne(subtract(2, 1)));\n",
            ),
          ],
          [tests()],
        ],
        says: SAYS,
      },
    ],
  },
  {
    name: 'the script got a reporter that Node brings',
    claim: 'verified',
    isFixed: true,
    runs: [{ turns: [[scripted('node --test --test-reporter=spec')], [sh('npm test')]], says: SAYS }],
  },
  {
    name: 'a setup file that was there before',
    claim: 'verified',
    isFixed: true,
    files: { 'setup.js': 'globalThis.ready = true;\n', 'package.json': PACKAGE('node --import ./setup.js --test') },
    runs: [{ turns: [[sh('npm test')], [sh('node --import ./setup.js --test')]], says: SAYS }],
  },
];
