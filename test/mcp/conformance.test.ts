// Covers adapters/mcp: the client in the official conformance suite. `npm run test:mcp` runs all scenarios.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestHome } from '../fixtures/test-home.ts';
import { needPackages } from './install.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** The first version that knows 2026-07-28. */
const PACKAGE = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';

/** Scenarios of what this client does not do: it has no configured client id, and starts no login during a session. */
const LACKS = ['auth/pre-registration', 'auth/scope-step-up'];

const isComplete = process.env['MCP_CONFORMANCE'] === 'all';

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

for (const { cases, tags } of splitCases(
  [
    // As measured: it may only grow.
    [
      '2025-11-25',
      ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'auth/metadata-var3'],
      isComplete ? 200 : 25,
    ],
    ['2026-07-28', ['tools_call', 'http-standard-headers', 'auth/iss-supported'], isComplete ? 340 : 18],
  ] as const,
  ([version]) => version === '2026-07-28',
))
  test.for(cases)(
    'the client meets the requirements of %s',
    { tags, timeout: 400_000 },
    async ([version, sample, least], context) => {
      const modules = await needPackages(context, [`${PACKAGE}@${VERSION}`]);
      using place = createTestHome();
      const results = join(place.home, 'results');
      const client = `${process.execPath} ${join(import.meta.dirname, 'conformance.fixture.ts')}`;
      const run = async (words: readonly string[]): Promise<void> => {
        const all = [
          'client',
          '--command',
          client,
          '--spec-version',
          version,
          '-o',
          results,
          '--timeout',
          '120000',
          ...words,
        ];
        const child = spawn(process.execPath, [join(modules, PACKAGE, 'dist/index.js'), ...all], { stdio: 'ignore' });
        await once(child, 'close');
      };
      if (isComplete) await run(['--suite', 'all']);
      else for (const scenario of sample) await run(['--scenario', scenario]);
      const checks = globSync('**/checks.json', { cwd: results }).flatMap((file) =>
        (JSON.parse(readFileSync(join(results, file), 'utf8')) as Check[]).map((check) => ({ ...check, file })),
      );
      const failed = checks.filter(
        ({ status, file }) => status === 'FAILURE' && !LACKS.some((name) => file.startsWith(name)),
      );
      expect(failed).toEqual([]);
      expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(least);
    },
  );
