// Covers adapters/models: the three wires of LiteLLM's proxy, which translates to chat completions.
// @module-tag long
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pollUntil } from '../fixtures/poll.ts';
import { runChecks } from './run-checks.ts';
import { readJson, readServerFacts } from './server-facts.ts';
import { startStrictServer, WINDOW } from './strict-server.ts';
import { WIRES, type Target } from './target.ts';

/** The program, or its path. */
const LITELLM = process.env['LITELLM'] ?? 'litellm';
const isInstalled = spawnSync('sh', ['-c', 'command -v "$0"', LITELLM]).status === 0;

async function startLitellm(behind: Target): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-litellm-'));
  const reserved = createServer();
  await once(reserved.listen(0, '127.0.0.1'), 'listening');
  const { port } = reserved.address() as AddressInfo;
  await new Promise((resolve) => reserved.close(resolve));
  const params = { model: `openai/${behind.model}`, api_base: behind.baseUrl, api_key: behind.key };
  const config = {
    model_list: [{ model_name: behind.model, litellm_params: params }],
    litellm_settings: { num_retries: 0, telemetry: false },
  };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
  const key = `sk-${randomBytes(32).toString('hex')}`;
  const child = spawn(LITELLM, ['--config', 'config.yaml', '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    // Its prices are in the package.
    env: { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MASTER_KEY: key },
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  const origin = `http://127.0.0.1:${port}`;
  await pollUntil(
    async () => child.exitCode !== null || (await readJson(`${origin}/health/liveliness`)) !== undefined,
    { everyMs: 500 },
  );
  expect(child.exitCode).toBeNull();
  return { ...behind, baseUrl: `${origin}/v1`, key };
}

test.skipIf(!isInstalled)(
  'all checks at LiteLLM (needs `litellm`, or its path in LITELLM)',
  { timeout: 600_000 },
  async () => {
    const target = await startLitellm(await startStrictServer());
    const facts = { ...(await readServerFacts(target)), contextWindow: WINDOW };
    const reports = await runChecks({ target, facts, wires: WIRES, isAnyWire: false });
    const failed = reports.flatMap(({ wire, results }) =>
      results.filter(({ status }) => status === 'failed').map((result) => ({ wire, ...result })),
    );
    expect(failed).toEqual([]);
  },
);
