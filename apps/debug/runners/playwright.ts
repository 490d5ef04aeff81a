// `import { test, expect } from 'klendathu/playwright'`, instead of `@playwright/test`.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { definePageFixtures } from './playwright-page.ts';

/** The parts of a `test` of Playwright that are used here. */
interface Extensible {
  extend(fixtures: object): unknown;
}

/** Your own `test` of Playwright, with a fixture `page` that investigates failures. */
export function extendTest<Test extends Extensible>(base: Test): Test {
  return base.extend(definePageFixtures()) as Test;
}

// The copy of the project: Playwright refuses a second one.
const playwright = createRequire(join(process.cwd(), 'package.json'))('@playwright/test') as {
  test: Extensible & ((...args: unknown[]) => void);
  expect: (...args: unknown[]) => unknown;
};

export const expect = playwright.expect;
/** The `test` of Playwright, whose fixture `page` investigates failures. */
export const test = extendTest(playwright.test);
