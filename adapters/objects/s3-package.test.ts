import { expect, test } from 'vitest';
import { loadS3, S3_VERSION } from './s3-package.ts';

test('without the package the error says what to install', async () => {
  const missing = Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
  await expect(loadS3(() => Promise.reject(missing))).rejects.toMatchObject({
    code: 'config',
    hint: expect.stringContaining(`@aws-sdk/client-s3@${S3_VERSION}`),
  });
});
