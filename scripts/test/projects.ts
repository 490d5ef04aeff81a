import { matchesGlob } from 'node:path';

/**
 * Test files of the project `system`: they start programs, databases, browsers or sandboxes, or they need several packages. All
 * others are the project `unit`, which always runs.
 */
export const SYSTEM_FILES: readonly string[] = [
  'test/**',
  'adapters/sandboxes/**',
  'adapters/scheduler/**',
  'adapters/store/**',
  'adapters/workspace/**',
  'scripts/**',
];

export function isUnit(file: string): boolean {
  return !SYSTEM_FILES.some((pattern) => matchesGlob(file, pattern));
}
