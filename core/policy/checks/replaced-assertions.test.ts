import { describe, expect, test } from 'vitest';
import { countReplacedAssertions } from './replaced-assertions.ts';

describe('a source that replaces assertions', () => {
  test.each([
    "import assert from 'node:assert';\nassert.equal = () => {};",
    "import a from 'assert/strict';\na.strictEqual = () => {};",
    "import * as a from 'node:assert';\na.default.equal = () => {};",
    "import { strict as s } from 'node:assert';\nObject.assign(s, { equal() {} });",
    "const a = require('assert');\na['equal'] = () => {};",
    "require('node:assert').equal = () => {};",
    'globalThis.expect = () => new Proxy({}, {});',
    "process.on('exit', () => { process.exitCode = 0; });",
    "vi.mock('node:assert', () => ({ default: {} }));",
    'import unittest\nunittest.TestCase.assertEqual = lambda *a: None',
    "setattr(unittest.TestCase, 'assertEqual', lambda *a: None)",
  ])('%s', (text) => expect(countReplacedAssertions(text)).toBeGreaterThan(0));
});

describe('an ordinary source', () => {
  test.each([
    "import assert from 'node:assert';\nassert.equal(1, 1);\nconst ok = assert.ok;",
    "const assert = require('assert');\nassert(a === b);",
    "import { test, expect } from 'vitest';\ntest('a', () => { expect(a.b).toBe(1); });",
    'const test = (a) => a;\nconst expectation = { test: 1 };\nthis.test = 2;',
    'options.expect = 100;',
    'if (assert.x === 1) run();',
  ])('%s', (text) => expect(countReplacedAssertions(text)).toBe(0));
});
