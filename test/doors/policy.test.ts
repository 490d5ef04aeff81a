// Covers sdk/policy, core/policy: policy files through the command line.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const WRITE: Script = {
  steps: [{ reply: { calls: [{ name: 'write_file', input: { path: 'migrations/1.sql', content: 'x\n' } }] } }],
  fallback: { text: 'I leave it.' },
};

function write(place: TestHome, text: string): string {
  mkdirSync(join(place.workspace, '.klaus'), { recursive: true });
  const path = join(place.workspace, '.klaus/policy.yaml');
  writeFileSync(path, text);
  return path;
}

test('a policy of the project denies a command that mode auto allows, and names the rule', async () => {
  using place = createTestHome();
  await using server = await startServer(WRITE);
  const path = write(place, 'rules:\n  - deny: { write: "migrations/**" }\n    reason: written by hand here\n');
  const { stdout } = await runKlaus(['--json', 'migrate'], { place, server });
  const decided = toEvents(stdout).find((event) => event.type === 'gate.decided');
  expect(decided).toMatchObject({
    verdict: 'deny',
    rule: 'policy',
    reason: expect.stringMatching(/\bmigrations\/1\.sql\b.*written by hand here/),
  });
  expect(decided).toMatchObject({ reason: expect.stringContaining(`${path}:2`) });
  const shown = await runKlaus(['audit', 'show', '--denied', '--json'], { place });
  expect(
    shown.stdout
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line)),
  ).toEqual([
    expect.objectContaining({
      tool: 'write_file',
      what: 'write_file migrations/1.sql',
      verdict: 'deny',
      rule: 'policy',
    }),
  ]);
});

test('an invalid policy ends with exit code 3, and names the line', async () => {
  using place = createTestHome();
  await using server = await startServer(WRITE);
  const path = write(place, 'rules:\n  - deny: { tool: "*" }\n  - deny: { tol: x }\n');
  for (const words of [
    ['run', 'migrate'],
    ['policy', 'check'],
  ]) {
    const { code, stderr } = await runKlaus(words, { place, server });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(`${path}:3: `) });
    expect(stderr).toContain('"tol"');
  }
  expect(server.requests).toEqual([]);
});

test('klaus policy check prints the rules that apply', async () => {
  using place = createTestHome();
  expect(await runKlaus(['policy', 'check'], { place })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('policy'),
  });
  const path = write(place, 'rules:\n  - ask: { command: terraform * }\nsecrets: [config/prod.yaml]\n');
  const { code, stdout } = await runKlaus(['policy', 'check', '--json'], { place });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    sources: [{ path, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    rules: [{ verdict: 'ask', kind: 'command', pattern: 'terraform *', where: `${path}:2` }],
    secrets: ['config/prod.yaml'],
  });
  expect((await runKlaus(['policy', 'check'], { place })).stdout).toContain('terraform *');
});
