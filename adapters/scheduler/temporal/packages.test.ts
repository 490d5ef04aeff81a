import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { loadClient, loadWorker } from './packages.ts';

test.each([loadClient, loadWorker])('without the packages the error says what to install', (load) => {
  const nowhere = createRequire('/nowhere/klaus.cjs');
  expect(() => load(nowhere)).toThrow(
    expect.objectContaining({
      code: 'config',
      hint: expect.stringContaining('npm install --global @temporalio/client@'),
    }),
  );
});
