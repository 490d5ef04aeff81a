import { expect, test } from 'vitest';
import { encodeAws, signAws } from './sign-aws.ts';

const IDENTITY = {
  id: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
};
const HOST = 'https://examplebucket.s3.amazonaws.com';

// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
test.each([
  [
    'GET object',
    { method: 'GET', url: `${HOST}/test.txt`, headers: { Range: 'bytes=0-9' } },
    'host;range;x-amz-content-sha256;x-amz-date',
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'PUT object',
    {
      method: 'PUT',
      url: `${HOST}/${encodeAws('test$file.text')}`,
      headers: { Date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      body: 'Welcome to Amazon S3.',
    },
    'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'GET bucket lifecycle',
    { method: 'GET', url: `${HOST}/`, query: { lifecycle: '' } },
    'host;x-amz-content-sha256;x-amz-date',
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'list objects',
    { method: 'GET', url: `${HOST}/`, query: { prefix: 'J', 'max-keys': '2' } },
    'host;x-amz-content-sha256;x-amz-date',
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('%s has the documented signature', (_, request, names, signature) => {
  const { headers } = signAws(request, IDENTITY, new Date('2013-05-24T00:00:00Z'));
  expect(headers['authorization']).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${signature}`,
  );
});

test('a session token is a signed header', () => {
  const { headers } = signAws({ method: 'GET', url: HOST }, { ...IDENTITY, session: 'token' }, new Date(0));
  expect(headers['x-amz-security-token']).toBe('token');
  expect(headers['authorization']).toContain('x-amz-security-token');
});
