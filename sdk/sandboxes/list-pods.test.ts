import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSandboxes, pruneSandboxes } from './sandboxes.ts';

test('the pods are asked for with the driver kubernetes alone', async () => {
  const home = mkdtempSync(join(tmpdir(), 'klaus-test-'));
  const outer = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = join(home, 'config');
  try {
    writeFileSync(join(home, 'config'), 'not: [a configuration');
    const env = { KLAUS_HOME: home, HOME: home, PATH: process.env['PATH'] };
    expect((await listSandboxes(env)).filter(({ driver }) => driver === 'kubernetes')).toEqual([]);
    const kubernetes = { ...env, KLAUS_SANDBOX: 'kubernetes' };
    await expect(listSandboxes(kubernetes)).rejects.toMatchObject({ code: 'sandbox.unavailable' });
    await expect(pruneSandboxes(kubernetes)).rejects.toMatchObject({ code: 'sandbox.unavailable' });
  } finally {
    if (outer === undefined) delete process.env['KUBECONFIG'];
    else process.env['KUBECONFIG'] = outer;
    rmSync(home, { recursive: true, force: true });
  }
});
