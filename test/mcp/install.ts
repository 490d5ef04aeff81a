import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { npm } from '../../bench/peers/npm.ts';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/mcp');

/**
 * The folder in which exactly these packages of the npm registry are installed, once. Without the registry the test is
 * skipped, with the reason; in CI it fails.
 */
export async function needPackages(context: TestContext, packages: readonly string[]): Promise<string> {
  const folder = join(CACHE, packages.join('+').replaceAll('/', '_'));
  try {
    if (!existsSync(folder)) {
      mkdirSync(CACHE, { recursive: true });
      const part = mkdtempSync(`${folder}.`);
      await npm(['install', '--prefix', part, '--ignore-scripts', ...packages], part);
      if (existsSync(folder)) rmSync(part, { recursive: true });
      else renameSync(part, folder);
    }
    return join(folder, 'node_modules');
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    return context.skip(`${packages.join(', ')} cannot be fetched: ${String(error).split('\n')[0]}`);
  }
}
