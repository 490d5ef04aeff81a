// Covers adapters/tools/deploy: S3 against a server of another maker, which checks the signatures.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signAws, type AwsRequest } from '../../adapters/tools/deploy/sign-aws.ts';
import { createDeployBench, PAGES } from './bench.ts';
import { installSeaweed, startSeaweed, type S3Server } from './s3-server.ts';
import { AWS_KEYS, BUCKET } from './s3-service.ts';

const program = installSeaweed();
if (program === undefined)
  console.warn('skipped here: the S3-compatible server is not in a registry that this machine reaches');

let server: S3Server;
beforeAll(async () => {
  if (program !== undefined) server = await startSeaweed(program);
}, 120_000);
afterAll(() => server?.[Symbol.asyncDispose]());

async function ask(request: AwsRequest): Promise<Response> {
  const identity = { id: AWS_KEYS.AWS_ACCESS_KEY_ID, secret: AWS_KEYS.AWS_SECRET_ACCESS_KEY };
  const { url, headers } = signAws(request, { ...identity, region: 'us-east-1', service: 's3' }, new Date());
  return fetch(url, { method: request.method, headers });
}

test.skipIf(program === undefined)(
  'uploads, compares, deletes, and refuses a wrong key',
  { timeout: 60_000 },
  async () => {
    const bucket = `${server.url}/${BUCKET}`;
    // The parts of the server start one after another.
    await expect
      .poll(async () => (await ask({ method: 'PUT', url: bucket })).status, { timeout: 30_000 })
      .toBeLessThan(300);
    using bench = await createDeployBench({ credentials: AWS_KEYS, deploy: { s3Url: server.url } });
    const input = { folder: 'dist', bucket: BUCKET, prefix: 'a b/', removeOthers: true };
    await expect
      .poll(async () => (await bench.call('deploy_aws_s3', input).catch(() => undefined))?.detail, { timeout: 30_000 })
      .toMatchObject({ files: 4 });
    const read = async (path: string): Promise<{ text: string; type: string | null }> => {
      const response = await ask({ method: 'GET', url: `${bucket}/a%20b/${path.replaceAll(' ', '%20')}` });
      return { text: await response.text(), type: response.headers.get('content-type') };
    };
    for (const [path, text] of Object.entries(PAGES)) expect(await read(path)).toMatchObject({ text });
    expect((await read('index.html')).type).toBe('text/html; charset=utf-8');
    expect((await bench.call('deploy_aws_s3', input)).detail).toMatchObject({ uploaded: 0, removed: 0 });

    writeFileSync(join(bench.place.workspace, 'dist/index.html'), 'two\n');
    rmSync(join(bench.place.workspace, 'dist/assets/b c.js'));
    const dry = await bench.call('deploy_aws_s3', { ...input, dryRun: true });
    expect(dry.detail).toMatchObject({ upload: 1, remove: 1 });
    expect((await bench.call('deploy_aws_s3', input)).detail).toMatchObject({ uploaded: 1, removed: 1 });
    expect((await read('index.html')).text).toBe('two\n');

    using stranger = await createDeployBench({
      credentials: { ...AWS_KEYS, AWS_SECRET_ACCESS_KEY: 'another-secret' },
      deploy: { s3Url: server.url },
    });
    await expect(stranger.call('deploy_aws_s3', input)).rejects.toMatchObject({ code: 'auth' });
    const missing = bench.call('deploy_aws_s3', { ...input, bucket: 'no-such-bucket' });
    await expect(missing).rejects.toMatchObject({ code: 'tool.failed' });
  },
);
