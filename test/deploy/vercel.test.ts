// Covers adapters/tools/deploy: Vercel, against a service with its documented answers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDeployBench, PAGES, SITE } from './bench.ts';
import { startVercel, VERCEL_PROJECT, VERCEL_TOKEN, type VercelService } from './vercel-service.ts';

const open = (service: VercelService, credentials: Record<string, string> = { VERCEL_TOKEN }) =>
  createDeployBench({ credentials, deploy: { vercelUrl: service.url } });

const INPUT = { folder: 'dist', project: VERCEL_PROJECT, production: true };

test('uploads the missing files, then deploys; only changed files are uploaded later', async () => {
  await using service = await startVercel();
  using bench = await open(service);
  const first = await bench.call('deploy_vercel', INPUT);
  expect(first.detail).toMatchObject({
    files: 4,
    uploaded: 4,
    id: 'dpl_1',
    url: 'https://my-project-dpl_1.vercel.app',
  });
  expect(service.site()).toEqual(PAGES);
  expect(service.deployments()[0]).toMatchObject({ target: 'production', settings: { framework: null } });
  expect((await bench.call('deploy_vercel', INPUT)).detail).toMatchObject({ uploaded: 0, id: 'dpl_1' });

  writeFileSync(join(bench.place.workspace, 'dist/index.html'), '<h1>Two</h1>\n');
  const dry = await bench.call('deploy_vercel', { ...INPUT, dryRun: true });
  expect(dry.detail).toMatchObject({ compared: true, upload: 1, remove: 0 });
  expect((await bench.call('deploy_vercel', INPUT)).detail).toMatchObject({ uploaded: 1, id: 'dpl_2' });
  expect(service.site()).toEqual({ ...PAGES, 'index.html': '<h1>Two</h1>\n' });
  writeFileSync(join(bench.place.workspace, 'dist/index.html'), SITE['dist/index.html']);
  expect((await bench.call('deploy_vercel', INPUT)).detail).toMatchObject({ uploaded: 0, id: 'dpl_3' });
  expect(service.site()).toEqual(PAGES);
});

test('a preview leaves production as it is, and a framework and a team are sent', async () => {
  await using service = await startVercel();
  using bench = await open(service);
  const input = { folder: 'dist', project: VERCEL_PROJECT, framework: 'nextjs', team: 'team_1' };
  await bench.call('deploy_vercel', input);
  expect(service.site()).toEqual({});
  expect(service.deployments()[0]).toMatchObject({ target: null, settings: { framework: 'nextjs' } });
  expect(service.requests.every(({ query }) => query.get('teamId') === 'team_1')).toBe(true);
});

test('names are checked before any request', async () => {
  await using service = await startVercel();
  using bench = await open(service);
  for (const wrong of [
    { project: '../x' },
    { project: 'a b' },
    { project: '' },
    { team: 'a&b=c' },
    { framework: 'a"b' },
  ]) {
    await expect(bench.call('deploy_vercel', { ...INPUT, ...wrong })).rejects.toMatchObject({ code: 'tool.failed' });
  }
  expect(service.requests).toEqual([]);
});

test.each([
  ['a rejected token', { status: 403, body: { error: { code: 'forbidden', message: 'Not authorized' } } }, 'auth'],
  [
    'a digest of no file',
    { status: 400, body: { error: { code: 'missing_files', missing: ['a'.repeat(40)] } } },
    'tool.failed',
  ],
  ['other errors', { status: 400, body: { error: { code: 'bad_request', message: 'Invalid' } } }, 'tool.failed'],
  [
    'a failed build',
    { status: 200, body: { id: 'dpl_9', readyState: 'ERROR', errorMessage: 'Build failed' } },
    'tool.failed',
  ],
] as const)('%s is an error with a code, and production stays', async (_, answer, code) => {
  await using service = await startVercel();
  using bench = await open(service);
  service.disturb(({ path }) => (path === '/v13/deployments' ? answer : undefined));
  await expect(bench.call('deploy_vercel', INPUT)).rejects.toMatchObject({ code });
  expect(service.site()).toEqual({});
});

test('a service that never has the files ends in an error', async () => {
  await using service = await startVercel();
  using bench = await open(service);
  service.disturb(({ path }) => (path === '/v2/files' ? { status: 200, body: {} } : undefined));
  await expect(bench.call('deploy_vercel', INPUT)).rejects.toMatchObject({ code: 'tool.failed' });
});

test('server errors and lost answers are retried and create no second deployment', async () => {
  await using service = await startVercel();
  using bench = await open(service);
  const answers = [{ status: 503 }, { status: 429, headers: { 'retry-after': '0' } }, 'disconnect' as const];
  let lost = false;
  service.disturb(({ method, path }) => {
    const isComplete =
      path === '/v13/deployments' && method === 'POST' && service.requests.some((each) => each.path === '/v2/files');
    if (!isComplete || lost) return answers.shift();
    lost = true;
    return 'lost';
  });
  await bench.call('deploy_vercel', INPUT);
  expect(service.site()).toEqual(PAGES);
  expect(service.deployments()).toHaveLength(1);
});
