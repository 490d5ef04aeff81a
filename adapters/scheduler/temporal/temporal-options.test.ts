import { expect, test } from 'vitest';
import { toConnectionOptions } from './temporal-options.ts';

const base = { address: 'temporal.example.com:7233', cacheFolder: '/nowhere' };

test('an API key is only sent over TLS', () => {
  expect(toConnectionOptions({ ...base, apiKey: 'k' })).toMatchObject({ tls: true, apiKey: 'k' });
  expect(() => toConnectionOptions({ ...base, apiKey: 'k', tls: false })).toThrow(
    expect.objectContaining({ code: 'config' }),
  );
  expect(toConnectionOptions(base)).toEqual({ address: base.address, tls: false });
});

test('a client certificate needs its key', () => {
  const tls = { ca: 'CA', cert: 'CERT', key: 'KEY', serverName: 'temporal' };
  expect(toConnectionOptions({ ...base, tls })).toEqual({
    address: base.address,
    tls: {
      serverNameOverride: 'temporal',
      serverRootCACertificate: Buffer.from('CA'),
      clientCertPair: { crt: Buffer.from('CERT'), key: Buffer.from('KEY') },
    },
  });
  expect(() => toConnectionOptions({ ...base, tls: { cert: 'CERT' } })).toThrow(
    expect.objectContaining({ code: 'config' }),
  );
});
