// Covers adapters/tools/deploy: S3 against a server of another maker, which checks the signatures.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { provideSeaweed, startS3Server, type S3Server } from '../../adapters/objects/fixtures/s3-server.ts';
import { signAws } from '../../adapters/tools/deploy/sign-aws.ts';
import { createDeployBench, PAGES } from './bench.ts';

const { program, reason } = provideSeaweed();
if (reason !== undefined) console.warn(`skipped here: ${reason}`);

let server: S3Server;
beforeAll(async () => {
  if (program !== undefined) server = await startS3Server(program);
}, 120_000);
afterAll(() => server?.[Symbol.asyncDispose]());

test.skipIf(program === undefined)(
  'uploads, compares, deletes, and refuses a wrong key',
  { timeout: 60_000 },
  async () => {
    const { bucket, credentials } = await server.createBucket();
    const { accessKeyId: id, secretAccessKey: secret } = credentials!;
    const keys = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };
    const deploy = { s3Url: server.endpoint };
    using bench = await createDeployBench({ credentials: keys, deploy });
    const input = { folder: 'dist', bucket, prefix: 'a b/', removeOthers: true };
    expect((await bench.call('deploy_aws_s3', input)).detail).toMatchObject({ files: 4 });
    const read = async (path: string): Promise<{ text: string; type: string | null }> => {
      const request = { method: 'GET', url: `${server.endpoint}/${bucket}/a%20b/${path.replaceAll(' ', '%20')}` };
      const signed = signAws(request, { id, secret, region: 'us-east-1', service: 's3' }, new Date());
      const response = await fetch(signed.url, { headers: signed.headers });
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
      credentials: { ...keys, AWS_SECRET_ACCESS_KEY: 'another-secret' },
      deploy,
    });
    await expect(stranger.call('deploy_aws_s3', input)).rejects.toMatchObject({ code: 'auth' });
    const missing = bench.call('deploy_aws_s3', { ...input, bucket: 'no-such-bucket' });
    await expect(missing).rejects.toMatchObject({ code: 'tool.failed' });
  },
);
