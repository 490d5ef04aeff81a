import { matchesGlob } from 'node:path';

/**
 * Test files that need a process of their own: they start programs, databases or sandboxes, change what belongs to the
 * process, or measure it. All others are the project `unit`: they share the modules that a worker has loaded.
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
