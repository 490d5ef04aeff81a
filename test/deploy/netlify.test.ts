// Covers adapters/tools/deploy: Netlify, against a service with its documented answers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDeployBench, PAGES, SITE, type DeployBench } from './bench.ts';
import { NETLIFY_SITE, NETLIFY_TOKEN, startNetlify, type NetlifyService } from './netlify-service.ts';

const open = (
  service: NetlifyService,
  more: Partial<Parameters<typeof createDeployBench>[0]> = {},
): Promise<DeployBench> =>
  createDeployBench({
    credentials: { NETLIFY_AUTH_TOKEN: NETLIFY_TOKEN },
    deploy: { netlifyUrl: service.url },
    ...more,
  });

const INPUT = { folder: 'dist', site: NETLIFY_SITE };

test('uploads the files, then only the changed ones, and nothing if nothing changed', async () => {
  await using service = await startNetlify();
  using bench = await open(service);
  const first = await bench.call('deploy_netlify', INPUT);
  expect(service.site()).toEqual(PAGES);
  expect(first.detail).toMatchObject({ files: 4, uploaded: 4, id: 'd1', url: 'https://example.netlify.app' });
  // As in the documented example: the digests by path, and raw bytes.
  const [create] = service.requests.filter(({ method }) => method === 'POST');
  expect(JSON.parse(create!.body.toString())).toMatchObject({
    files: { '/assets/a.css': expect.stringMatching(/^[0-9a-f]{40}$/) as string },
  });
  const puts = service.requests.filter(({ method }) => method === 'PUT');
  expect(puts.map(({ path }) => path)).toContain('/deploys/d1/files/assets/b%20c.js');
  expect(new Set(puts.map(({ headers }) => headers['content-type']))).toEqual(new Set(['application/octet-stream']));

  expect((await bench.call('deploy_netlify', INPUT)).detail).toMatchObject({ uploaded: 0, id: 'd1' });
  writeFileSync(join(bench.place.workspace, 'dist/index.html'), '<h1>Two</h1>\n');
  const dry = await bench.call('deploy_netlify', { ...INPUT, dryRun: true });
  expect(dry.detail).toMatchObject({ dryRun: true, compared: true, upload: 1, remove: 0 });
  expect(service.deploys()).toHaveLength(1);
  expect((await bench.call('deploy_netlify', INPUT)).detail).toMatchObject({ uploaded: 1, id: 'd2' });
  expect(service.site()['index.html']).toBe('<h1>Two</h1>\n');
  // The first site again: it is published by a new deploy, without an upload.
  writeFileSync(join(bench.place.workspace, 'dist/index.html'), SITE['dist/index.html']);
  expect((await bench.call('deploy_netlify', INPUT)).detail).toMatchObject({ uploaded: 0, id: 'd3' });
  expect(service.site()).toEqual(PAGES);
});

test('a draft is not published', async () => {
  await using service = await startNetlify();
  using bench = await open(service);
  const { detail } = await bench.call('deploy_netlify', { ...INPUT, draft: true });
  expect(detail).toMatchObject({ uploaded: 4, url: 'https://d1--example.netlify.app' });
  expect(service.site()).toEqual({});
});

test('the intent names each file, the host and the credential', async () => {
  await using service = await startNetlify();
  using bench = await open(service);
  const { intent } = await bench.call('deploy_netlify', { ...INPUT, dryRun: true });
  const { port } = new URL(service.url);
  expect(intent.access).toContainEqual({ kind: 'net', host: '127.0.0.1', port: Number(port) });
  expect(intent.access).toContainEqual({ kind: 'secret', name: 'NETLIFY_AUTH_TOKEN', host: '127.0.0.1' });
  expect(intent.access.filter(({ kind }) => kind === 'fs')).toHaveLength(5);
});

test('names are checked before any request', async () => {
  await using service = await startNetlify();
  using bench = await open(service);
  for (const site of ['../users', 'a/b', 'a?b=c', '', '-x', 'a b']) {
    await expect(bench.call('deploy_netlify', { ...INPUT, site })).rejects.toMatchObject({ code: 'tool.failed' });
  }
  await expect(bench.call('deploy_netlify', { folder: 'dist' })).rejects.toMatchObject({ code: 'config' });
  await expect(bench.call('deploy_netlify', { ...INPUT, folder: 'missing' })).rejects.toMatchObject({
    code: 'tool.failed',
  });
  await expect(bench.call('deploy_netlify', { ...INPUT, folder: '..' })).rejects.toMatchObject({
    code: 'workspace.outside',
  });
  expect(service.requests).toEqual([]);
});

test('secret files, version control and packages are left out, and a secret in a file stops the deploy', async () => {
  await using service = await startNetlify();
  const files = {
    'dist/.env': 'TOKEN=1\n',
    'dist/node_modules/a/index.js': '1\n',
    'dist/terraform.tfstate': '{}\n',
    'dist/.well-known/a.txt': 'a\n',
  };
  using bench = await open(service, { files });
  await bench.call('deploy_netlify', INPUT);
  expect(service.site()).toEqual({ ...PAGES, '.well-known/a.txt': 'a\n' });
  using other = await open(service, { isSecret: (text) => text.includes('About') });
  const before = service.requests.length;
  const refused = await other.call('deploy_netlify', INPUT);
  expect(refused).toMatchObject({ isError: true, detail: { secrets: [{ path: 'dist/about/index.html', line: 1 }] } });
  expect(service.requests).toHaveLength(before);
});

test('without a token nothing is sent, and a dry run lists the files', async () => {
  await using service = await startNetlify();
  using bench = await open(service, { credentials: {} });
  await expect(bench.call('deploy_netlify', INPUT)).rejects.toMatchObject({ code: 'auth' });
  const { detail } = await bench.call('deploy_netlify', { ...INPUT, dryRun: true });
  expect(detail).toMatchObject({ compared: false, upload: 4 });
  expect(service.requests).toEqual([]);
});

test('rate limits, server errors and lost connections are retried; a lost answer creates no second deploy', async () => {
  await using service = await startNetlify();
  using bench = await open(service);
  const answers = [{ status: 429, headers: { 'retry-after': '0' } }, { status: 503 }, 'disconnect' as const];
  let lost = false;
  service.disturb(({ method }) => {
    if (method !== 'POST' || lost) return answers.shift();
    lost = true;
    return 'lost';
  });
  await bench.call('deploy_netlify', INPUT);
  expect(service.site()).toEqual(PAGES);
  expect(service.deploys()).toHaveLength(1);
});

test.each([
  ['a rejected token', { status: 401, body: { code: 401, message: 'Access Denied' } }, 'auth', false],
  ['a site of another account', { status: 403, body: { code: 403, message: 'Forbidden' } }, 'auth', false],
  ['a redirect', { status: 301, headers: { location: 'https://example.com/' } }, 'tool.failed', false],
  ['a long pause', { status: 429, headers: { 'retry-after': '3600' } }, 'tool.failed', true],
  ['errors without an end', { status: 502 }, 'tool.failed', true],
  ['no JSON', { status: 200, body: '<html>' }, 'tool.failed', false],
] as const)('%s is an error with a code', async (_, answer, code, retryable) => {
  await using service = await startNetlify();
  using bench = await open(service);
  service.disturb(({ method }) => (method === 'POST' ? answer : undefined));
  await expect(bench.call('deploy_netlify', INPUT)).rejects.toMatchObject({ code, retryable });
  expect(service.site()).toEqual({});
  service.disturb(() => undefined);
  await bench.call('deploy_netlify', INPUT);
  expect(service.site()).toEqual(PAGES);
});

test('a list of digests that is wrong, and a site with other files, are errors', async () => {
  await using service = await startNetlify();
  using bench = await open(service);
  const deploy = { id: 'd9', state: 'uploading', required: ['a'.repeat(40)] };
  service.disturb(({ method }) => (method === 'POST' ? { status: 200, body: deploy } : undefined));
  await expect(bench.call('deploy_netlify', INPUT)).rejects.toMatchObject({ code: 'tool.failed' });
  expect(service.requests.some(({ method }) => method === 'PUT')).toBe(false);
  service.disturb(({ path }) =>
    path.endsWith('/files') ? { status: 200, body: [{ path: '/index.html', sha: '0' }] } : undefined,
  );
  await expect(bench.call('deploy_netlify', INPUT)).rejects.toMatchObject({ code: 'tool.failed' });
});
