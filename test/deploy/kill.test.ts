// Covers adapters/tools/deploy, core/agent/loop: SIGKILL at the requests of a deploy; the resumed deploy ends with the same site.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createModelServer } from '@klaus/adapters/models';
import { createSqliteStore } from '@klaus/adapters/store';
import { expect, test } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { PAGES, SITE } from './bench.ts';
import type { DeployOrder } from './deploy-process.ts';
import { NETLIFY_SITE, NETLIFY_TOKEN, startNetlify } from './netlify-service.ts';
import { AWS_KEYS, BUCKET, startS3 } from './s3-service.ts';
import type { Service } from './service.ts';
import { startVercel, VERCEL_PROJECT, VERCEL_TOKEN } from './vercel-service.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** Every how many requests one is tried: a sample; `npm run test:deploy` tries every request. */
const STEP = Number(process.env['DEPLOY_STEP'] ?? 8);

interface Vendor {
  tool: string;
  start(): Promise<Service & { site(): Record<string, string> }>;
  input: Record<string, string | boolean>;
  env(url: string): Record<string, string>;
  /** What else is true after a deploy, disturbed or not. */
  check?(service: Service): void;
}

const VENDORS: readonly Vendor[] = [
  {
    tool: 'deploy_netlify',
    start: startNetlify,
    input: { site: NETLIFY_SITE },
    env: (url) => ({ KLAUS_NETLIFY_URL: url, NETLIFY_AUTH_TOKEN: NETLIFY_TOKEN }),
  },
  {
    tool: 'deploy_vercel',
    start: startVercel,
    input: { project: VERCEL_PROJECT, production: true },
    env: (url) => ({ KLAUS_VERCEL_URL: url, VERCEL_TOKEN }),
  },
  {
    tool: 'deploy_aws_s3',
    async start() {
      const service = await startS3();
      service.put('old.html', 'old');
      return service;
    },
    input: { bucket: BUCKET, removeOthers: true, distribution: 'EDFDVBD6EXAMPLE' },
    env: (url) => ({ KLAUS_S3_URL: url, KLAUS_CLOUDFRONT_URL: url, ...AWS_KEYS }),
    // The last invalidation is after the last change.
    check(service) {
      const s3 = service as Awaited<ReturnType<typeof startS3>>;
      expect(s3.invalidations().at(-1)).toBe(s3.changes());
    },
  },
];

/** Runs a process to its end. @returns The id of the session. */
async function run(order: DeployOrder, onStart?: (pid: number) => void): Promise<{ session: string; killed: boolean }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'deploy-process.ts'), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onStart?.(child.pid!);
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(code ?? signal).toBe(signal === 'SIGKILL' ? 'SIGKILL' : 0);
  return { session: out.trim(), killed: signal === 'SIGKILL' };
}

/** Deploys; with `kill`, a process is killed at a request and another one resumes. @returns The number of requests. */
async function deploy(vendor: Vendor, kill?: { at: number; moment: 'before' | 'after' }): Promise<number> {
  await using service = await vendor.start();
  const input = { folder: 'dist', ...vendor.input };
  await using model = await startModel(vendor.tool, input);
  using place = createTestHome(SITE);
  const { hostname, port } = new URL(service.url);
  const order: DeployOrder = {
    home: place.home,
    workspace: place.workspace,
    url: model.url,
    env: { HOME: place.env['HOME']!, ...vendor.env(service.url) },
    grant: `fs(., rwx) · tool(*) · net(${hostname}, ${port}) · secret(* → ${hostname})`,
  };
  let pid: number | undefined;
  if (kill) service.killAt(kill.at, kill.moment, () => pid);
  const first = await run(order, (started) => (pid = started));
  expect(first.killed).toBe(kill !== undefined);
  if (kill) await run({ ...order, session: first.session });
  expect(service.site()).toEqual(PAGES);
  vendor.check?.(service);
  using store = createSqliteStore({ home: place.home });
  const events = [...store.view.events(first.session)];
  const decided = ofType(events, 'gate.decided').map(({ verdict }) => verdict);
  expect(decided).toEqual(kill ? ['allow', 'allow'] : ['allow']);
  expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['ok']);
  expect(JSON.stringify(events)).not.toContain(Object.values(vendor.env('')).at(-1));
  return service.requests.length;
}

async function startModel(name: string, input: Vendor['input']) {
  const server = await createModelServer({
    script: {
      steps: [{ when: { turn: 0, tools: true }, reply: { calls: [{ name, input }] } }],
      fallback: { text: 'Done.' },
    },
  });
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}

for (const { cases, tags } of splitCases(
  VENDORS.map((vendor) => [vendor.tool, vendor] as const),
  1,
))
  test.each(cases)(
    '%s: killed at a request and resumed, it ends with the same site',
    { tags, timeout: 1_800_000 },
    async (_, vendor) => {
      const count = await deploy(vendor);
      expect(count).toBeGreaterThan(5);
      // Without a sample, before and after each request.
      for (let at = STEP === 1 ? 1 : 2; at <= count; at += STEP) {
        for (const moment of STEP === 1
          ? (['before', 'after'] as const)
          : [at % 2 === 0 ? ('after' as const) : ('before' as const)]) {
          await deploy(vendor, { at, moment });
        }
      }
    },
  );
