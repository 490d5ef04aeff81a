// Covers apps/debug/runners: failed tests in the real runners Playwright, Vitest, Jest and node:test. `KLENDATHU_RUNNERS=all` runs each failure of a page five times.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChromium, WITHOUT_BROWSER } from '../fixtures/browser.ts';
import { npm } from '../fixtures/npm.ts';
import type { Seen, Step } from './scripted-cli.fixture.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const PACKAGES = ['@playwright/test@1.65.1', 'jest@30.5.2'];
const isComplete = process.env['KLENDATHU_RUNNERS'] === 'all';
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'klendathu-runners-'));
const modules = join(folder, 'node_modules');

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"name":"runners"}');
  npm(['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', ...PACKAGES], folder);
  // As it is published: a runner does not compile installed packages.
  const target = join(modules, 'klendathu');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'scripts/klendathu'), '--outDir', target]);
  const manifest = readFileSync(join(root, 'apps/debug/package.json'), 'utf8').replaceAll('.ts"', '.js"');
  writeFileSync(join(target, 'package.json'), manifest);
  for (const name of ['zod', 'acorn', '@modelcontextprotocol/server', 'vitest']) {
    const link = join(modules, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  files: Record<string, string>;
  args: string[];
  steps: Step[];
  env?: Record<string, string>;
}

interface WrittenReport {
  title: string;
  /** Results of the evaluations. */
  results: string[];
}

let projects = 0;

/** Runs a runner in a project of its own. */
async function run({ files, args, steps, env = {} }: Run) {
  const project = join(folder, `project-${(projects += 1)}`);
  mkdirSync(project);
  for (const [path, content] of Object.entries(files)) writeFileSync(join(project, path), content);
  const child = spawn(process.execPath, args, {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH']!,
      HOME: folder,
      TMPDIR: folder,
      KLENDATHU_CLI: join(import.meta.dirname, 'scripted-cli.fixture.ts'),
      KLENDATHU_STEPS: JSON.stringify(steps),
      ...env,
    },
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return {
    project,
    output: stdout + stderr,
    code: code as number,
    reports: readReports(join(project, 'klendathu-reports')),
  };
}

function readReports(path: string): WrittenReport[] {
  const names = readdirSync(path).filter((name) => name.endsWith('.json'));
  return names
    .map((name) => JSON.parse(readFileSync(join(path, name), 'utf8')) as { title: string; text: string })
    .map(({ title, text: seen }) => ({
      title,
      results: toResults(seen),
    }))
    .toSorted((a, b) => (a.title < b.title ? -1 : 1));
}

function toResults(seen: string): string[] {
  const { results } = JSON.parse(seen) as Seen;
  // A refused call has a text.
  return results.map(({ text: it }) => (it.startsWith('{') ? (JSON.parse(it) as { result: string }).result : it));
}

/** Of the report in an attachment, whose text is one line. */
function readResults(body: string): string[] {
  const lines = Buffer.from(body, 'base64').toString().split('\n');
  return toResults(lines.find((line) => line.startsWith('{'))!);
}

const looks = (...codes: string[]) => codes.map((code) => ({ call: 'eval', input: { code } }));

const FAILS = `
  class Bad extends Error { extra = { a: 41 }; }
  describe('group', () => {
    test('fails', () => { const count = 7; throw new Bad('broken' + count); });
    test('passes', () => {});
  });
`;
const REPORTED = [{ title: 'group > fails', results: ['41', '7'] }];
const LOOKS: Step[] = [...looks('error.extra.a'), { call: 'eval', input: { code: 'count', frame: 0 } }];

test('node:test', async () => {
  const { code, output, reports } = await run({
    files: { 'a.test.cjs': `const { describe, test } = require('node:test');${FAILS}` },
    args: ['--import', 'klendathu/node-test', '--test'],
    steps: LOOKS,
  });
  expect(reports).toEqual(REPORTED);
  expect([code, output.includes('broken')]).toEqual([1, true]);
});

test('Vitest', async () => {
  const { code, reports } = await run({
    files: {
      'a.test.js': `import { describe, test, beforeEach } from 'vitest';${FAILS}
        describe('hook', () => { beforeEach(() => { throw new Bad('in a hook'); }); test('x', () => {}); });
        test.fails('expected', () => { throw new Error('e'); });
        test('skips', (context) => context.skip());
        class Bad extends Error { extra = { a: 42 }; }`.replace('class Bad extends Error { extra = { a: 41 }; }', ''),
      'vitest.config.js': `export default { test: { setupFiles: ['klendathu/vitest'] } };`,
    },
    args: [join(modules, 'vitest/vitest.mjs'), 'run', '--root', '.'],
    steps: LOOKS,
  });
  expect(reports).toEqual([
    { title: 'group > fails', results: ['42', '7'] },
    // Of an error in a hook, Vitest passes on a copy.
    { title: 'hook > x', results: ['42', expect.stringContaining('ReferenceError')] },
  ]);
  expect(code).toBe(1);
});

test('Jest', async () => {
  const { code, reports } = await run({
    files: { 'a.test.js': FAILS, 'package.json': '{"jest":{"testEnvironment":"klendathu/jest"}}' },
    args: [join(modules, 'jest/bin/jest.js'), '--watchman=false'],
    steps: LOOKS,
  });
  expect(reports).toEqual(REPORTED);
  expect(code).toBe(1);
});

const PAGE_TESTS: Readonly<Record<string, string>> = {
  assertion: `await expect(page.locator('h1')).toHaveText('Order', { timeout: 300 });`,
  exception: `const cart = { id: 7 }; cart[await page.title()].total();`,
  action: `await page.click('#buy', { timeout: 300 });`,
  timeout: `await page.waitForFunction(() => false);`,
  hook: `await page.title();`,
};

function toPageTests(names: readonly string[]): string {
  const tests = names.map((name) => `test('${name}', async ({ page }) => { ${PAGE_TESTS[name]} });`);
  return `
    test.beforeEach(async ({ page }) => { await page.setContent('<title>Shop</title><h1>Cart</h1><button id=buy disabled>Buy</button>'); });
    ${tests.join('\n')}
    test('passes', async ({ page }) => { await page.title(); });
    test.afterEach(async ({ page }, info) => { if (info.title === 'hook') throw new Error('in a hook'); });
  `;
}

interface PlaywrightResults {
  suites: {
    specs: {
      title: string;
      tests: { results: { status: string; attachments: { name: string; body: string }[] }[] }[];
    }[];
  }[];
}

const WAYS = [
  ['the hook, in modules', 'module', '@playwright/test', ['timeout']],
  ['the fixture', 'commonjs', 'klendathu/playwright', ['exception']],
  ['the hook, in CommonJS', 'commonjs', '@playwright/test', []],
  ['the fixture, in modules', 'module', 'klendathu/playwright', []],
] as const;

for (const { cases, tags } of splitCases(
  WAYS.filter(([, , , sample]) => isComplete || sample.length > 0),
  1,
))
  test.skipIf(WITHOUT_BROWSER !== undefined).each(cases)(
    'Playwright, by %s: the page is open, and the report is attached',
    { tags, timeout: 900_000 },
    async (_, type, library, sample) => {
      const names: readonly string[] = isComplete ? Object.keys(PAGE_TESTS) : sample;
      const isHook = library === '@playwright/test';
      const load =
        type === 'module'
          ? `import { test, expect } from '${library}';`
          : `const { test, expect } = require('${library}');`;
      const settings = {
        timeout: 2000,
        workers: 1,
        repeatEach: isComplete ? 5 : 1,
        reporter: [['json', { outputFile: 'results.json' }]],
        use: { launchOptions: { executablePath: findChromium(), args: ['--no-sandbox'] } },
      };
      const { code, project, reports } = await run({
        files: {
          'package.json': JSON.stringify({ type }),
          'playwright.config.mjs': `export default ${JSON.stringify(settings)};`,
          'a.spec.js': load + toPageTests(names),
        },
        args: [join(modules, '@playwright/test/cli.js'), 'test'],
        steps: [
          ...looks('await page.title()', 'await page.evaluate(() => document.querySelector("h1").textContent)'),
          { call: 'eval', input: { code: 'cart.id', frame: 0 } },
        ],
        env: { KLENDATHU_MAX: '100', ...(isHook && { NODE_OPTIONS: '--import=klendathu/playwright-hook' }) },
      });
      expect(reports.map(({ title }) => title)).toEqual(names.toSorted());
      const { suites } = JSON.parse(readFileSync(join(project, 'results.json'), 'utf8')) as PlaywrightResults;
      const results = suites.flatMap(({ specs }) =>
        specs.flatMap(({ title, tests }) => tests.map((it) => ({ title, ...it.results[0]! }))),
      );
      expect(results).toHaveLength((names.length + 1) * settings.repeatEach);
      for (const { title, status, attachments } of results) {
        const looked = attachments.filter(({ name }) => name === 'klendathu').map(({ body }) => readResults(body));
        // Only the variables of the test that threw in its own code are known.
        const variable = title === 'exception' ? '7' : (expect.stringMatching(/not defined|no frame/) as string);
        expect({ title, status: status === 'passed', looked }).toEqual({
          title,
          status: title === 'passes',
          looked: title === 'passes' ? [] : [['"Shop"', '"Cart"', variable]],
        });
      }
      expect(code).toBe(1);
    },
  );
