// For `NODE_OPTIONS="--import=klendathu/playwright-hook"`: investigates failed tests of Playwright without a change of a
// test file. The fixture `page` of Playwright's own `test` is extended before a test file can load it.
import Module from 'node:module';
import { sep } from 'node:path';
import { definePageFixtures } from './playwright-page.ts';
import { readRunSettings } from './run-settings.ts';

const LIBRARY = ['', 'playwright', 'lib', 'index.js'].join(sep);

/** An entry of the fixtures of a test type, as `test.extend` appends it. */
interface FixturesWithLocation {
  fixtures: object;
  location: { file: string; line: number; column: number };
}

type TestType = Record<symbol, { fixtures?: FixturesWithLocation[] } | undefined>;

type Loader = (module: { exports: { test?: TestType } }, filename: string) => unknown;

const extensions = (Module as unknown as { _extensions: Record<string, Loader> })._extensions;
const load = extensions['.js']!;

extensions['.js'] = (module, filename) => {
  const result = load(module, filename);
  if (filename.endsWith(LIBRARY)) extend(module.exports.test);
  return result;
};

// Processes of the run inherit the folder of transcripts.
readRunSettings();

function extend(test: TestType | undefined): void {
  if (test === undefined) return;
  const symbol = Object.getOwnPropertySymbols(test).find((it) => Array.isArray(test[it]?.fixtures));
  const fixtures = symbol && test[symbol]?.fixtures;
  if (!fixtures) {
    process.emitWarning(
      'This version of Playwright is not supported: use the fixture `klendathu/playwright`.',
      'klendathu',
    );
    return;
  }
  fixtures.push({ fixtures: definePageFixtures(), location: { file: import.meta.filename, line: 1, column: 1 } });
}
