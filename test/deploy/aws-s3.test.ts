// Covers adapters/tools/deploy: S3 and CloudFront, against services with their documented answers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDeployBench, PAGES } from './bench.ts';
import { AWS_KEYS, BUCKET, startS3, type S3Service } from './s3-service.ts';

const open = (service: S3Service, credentials: Record<string, string> = AWS_KEYS) =>
  createDeployBench({ credentials, deploy: { s3Url: service.url, cloudfrontUrl: service.url } });

const INPUT = { folder: 'dist', bucket: BUCKET };

test('uploads with media types, pages last, then only changed files; others are kept unless asked for', async () => {
  await using service = await startS3();
  using bench = await open(service);
  service.put('old.html', 'old');
  service.put('a&b <c>.txt', 'old');
  expect((await bench.call('deploy_aws_s3', INPUT)).detail).toMatchObject({ uploaded: 4, removed: 0 });
  expect(service.site()).toEqual({ ...PAGES, 'old.html': 'old', 'a&b <c>.txt': 'old' });
  expect(service.types()).toMatchObject({
    'index.html': 'text/html; charset=utf-8',
    'assets/b c.js': 'text/javascript; charset=utf-8',
  });
  const puts = service.requests.filter(({ method }) => method === 'PUT').map(({ path }) => path);
  expect(puts.slice(0, 2).every((path) => path.includes('/assets/'))).toBe(true);

  writeFileSync(join(bench.place.workspace, 'dist/index.html'), '<h1>Two</h1>\n');
  const more = { ...INPUT, removeOthers: true, distribution: 'EDFDVBD6EXAMPLE' };
  const dry = await bench.call('deploy_aws_s3', { ...more, dryRun: true });
  expect(dry.detail).toMatchObject({ compared: true, upload: 1, remove: 2 });
  expect((await bench.call('deploy_aws_s3', more)).detail).toMatchObject({ uploaded: 1, removed: 2 });
  expect(service.site()).toEqual({ ...PAGES, 'index.html': '<h1>Two</h1>\n' });
  expect(service.invalidations()).toEqual([service.changes()]);
});

test('a prefix limits what is compared and deleted', async () => {
  await using service = await startS3();
  using bench = await open(service);
  service.put('index.html', 'other site');
  service.put('docs/old.html', 'old');
  await bench.call('deploy_aws_s3', { ...INPUT, prefix: 'docs/', removeOthers: true });
  const docs = Object.fromEntries(Object.entries(PAGES).map(([path, content]) => [`docs/${path}`, content]));
  expect(service.site()).toEqual({ ...docs, 'index.html': 'other site' });
});

test('names are checked before any request, as are missing regions', async () => {
  await using service = await startS3();
  using bench = await open(service);
  const wrong: Record<string, unknown>[] = [
    ...['A', 'ab', 'a..b', 'a.-b', 'a-.b', '-ab', 'a/b', '1.2.3.4', 'a_b'].map((bucket) => ({ bucket })),
    ...['/', 'a', '../', 'a/../', 'a//', 'a?/'].map((prefix) => ({ prefix })),
    ...['eu central', 'eu/../x', 'EU-WEST-1'].map((region) => ({ region })),
    { distribution: 'a/b' },
  ];
  for (const one of wrong) {
    await expect(bench.call('deploy_aws_s3', { ...INPUT, ...one }), JSON.stringify(one)).rejects.toMatchObject({
      code: 'tool.failed',
    });
  }
  expect(service.requests).toEqual([]);
  using real = await createDeployBench({ credentials: AWS_KEYS });
  await expect(real.call('deploy_aws_s3', INPUT)).rejects.toMatchObject({ code: 'config' });
  await expect(real.call('deploy_aws_s3', { ...INPUT, region: 'auto' })).rejects.toMatchObject({ code: 'tool.failed' });
});

test('each credential is for the host of the bucket, and of CloudFront if it is used', async () => {
  using bench = await createDeployBench({ credentials: AWS_KEYS });
  const input = { ...INPUT, region: 'eu-central-1' };
  const hostsOf = async (more: object) => {
    const { access } = await bench.prepare('deploy_aws_s3', { ...input, ...more });
    return access.flatMap((one) => (one.kind === 'fs' || one.kind === 'exec' ? [] : `${one.kind} ${one.host}`));
  };
  const secrets = (host: string) => [`net ${host}`, `secret ${host}`, `secret ${host}`];
  const own = secrets('example-bucket.s3.eu-central-1.amazonaws.com');
  expect(await hostsOf({})).toEqual(own);
  expect(await hostsOf({ distribution: 'EDFDVBD6EXAMPLE' })).toEqual([...own, ...secrets('cloudfront.amazonaws.com')]);
  expect(await hostsOf({ bucket: 'a.example' })).toEqual(secrets('s3.eu-central-1.amazonaws.com'));
  expect(await hostsOf({ region: 'cn-north-1' })).toEqual(secrets('example-bucket.s3.cn-north-1.amazonaws.com.cn'));
});

const xml = (code: string, more = ''): string => `<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`;

test.each([
  ['a bucket of another account', { status: 403, body: xml('AccessDenied') }, 'auth', 'AccessDenied'],
  [
    'a bucket of another region',
    { status: 301, headers: { 'x-amz-bucket-region': 'eu-west-1' }, body: xml('PermanentRedirect') },
    'tool.failed',
    'eu-west-1',
  ],
  [
    'a signature for another region',
    { status: 400, body: xml('AuthorizationHeaderMalformed', '<Region>eu-west-2</Region>') },
    'tool.failed',
    'eu-west-2',
  ],
  ['a missing bucket', { status: 404, body: xml('NoSuchBucket') }, 'tool.failed', 'NoSuchBucket'],
  ['no list', { status: 200, body: '<html></html>' }, 'tool.failed', 'list'],
  [
    'a list without an end',
    {
      status: 200,
      body: '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken></ListBucketResult>',
    },
    'tool.failed',
    'end',
  ],
] as const)('%s is an error with a code, before any change', async (_, answer, code, reason) => {
  await using service = await startS3();
  using bench = await open(service);
  service.disturb(({ method }) => (method === 'GET' ? answer : undefined));
  const call = bench.call('deploy_aws_s3', { ...INPUT, distribution: 'EDFDVBD6EXAMPLE' });
  await expect(call).rejects.toMatchObject({ code, message: expect.stringContaining(reason) as string });
  expect(service.changes()).toBe(0);
  expect(service.invalidations()).toEqual([]);
});

test('a service that stores other content, and an error between files, are reported with the state', async () => {
  await using service = await startS3();
  using bench = await open(service);
  service.disturb(({ method }) =>
    method === 'PUT' ? { status: 200, headers: { etag: `"${'0'.repeat(32)}"` } } : undefined,
  );
  await expect(bench.call('deploy_aws_s3', INPUT)).rejects.toMatchObject({ code: 'tool.failed' });
  service.disturb(({ path }) =>
    path.endsWith('/index.html') ? { status: 403, body: xml('AccessDenied') } : undefined,
  );
  await expect(bench.call('deploy_aws_s3', INPUT)).rejects.toMatchObject({
    code: 'auth',
    hint: expect.stringContaining('2 of 4 files') as string,
  });
  service.disturb(() => undefined);
  expect((await bench.call('deploy_aws_s3', INPUT)).detail).toMatchObject({ uploaded: 2 });
  expect(service.site()).toEqual(PAGES);
});
