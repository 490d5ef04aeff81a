import { expect, test } from 'vitest';
import { grantSchema } from '../../protocol/index.ts';
import { toNetAuthorities } from './presets.ts';

test('a preset has the hosts of its registry and those that the user configured', () => {
  const found = toNetAuthorities(['npm, go', 'npm'], { npm: ['npm.example.com:8443'] });
  expect(found).toEqual([
    { kind: 'net', host: 'registry.npmjs.org', port: 443 },
    { kind: 'net', host: 'npm.example.com', port: 8443 },
    { kind: 'net', host: 'proxy.golang.org', port: 443 },
    { kind: 'net', host: 'sum.golang.org', port: 443 },
  ]);
});

test('a host without a port has the ports of the web', () => {
  const found = toNetAuthorities(['*.example.com', 'localhost:4873', '[::1]:80', 'localhost']);
  expect(found.map(({ host, port }) => `${host} ${port}`)).toEqual([
    '*.example.com 443',
    '*.example.com 80',
    'localhost 4873',
    '::1 80',
    'localhost 443',
    'localhost 80',
  ]);
  expect(grantSchema.safeParse({ authorities: found }).data?.authorities).toEqual(found);
});

test.for(['*', 'nmp', 'https://example.com', 'a b', 'user@example.com', '*.', 'example.com:0'])(
  '%j is neither a preset nor a host',
  (word) => {
    expect(() => toNetAuthorities([word])).toThrow(expect.objectContaining({ code: 'usage' }));
  },
);

test('a misspelled preset is named', () => {
  expect(() => toNetAuthorities(['pipy'])).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('Did you mean pypi?') }),
  );
});
