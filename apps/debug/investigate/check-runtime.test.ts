import { expect, test } from 'vitest';
import { checkRuntime } from './check-runtime.ts';

test.each([
  ['live', '22.12.0', undefined],
  ['live', '24.0.0', undefined],
  ['live', '22.11.9', '22.12'],
  ['live', '20.20.2', '22.12'],
  ['frozen', '20.0.0', undefined],
  ['record', '20.20.2', undefined],
  ['record', '18.20.8', '20.0'],
] as const)('%s on Node.js %s', (mode, version, needed) => {
  if (needed === undefined) {
    expect(() => checkRuntime(mode, version)).not.toThrow();
  } else {
    expect(() => checkRuntime(mode, version)).toThrow(
      expect.objectContaining({ code: 'node-outdated', message: expect.stringContaining(needed) as string }) as Error,
    );
  }
});
