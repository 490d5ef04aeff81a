import { expect, test } from 'vitest';
import { toProxyTrust } from './proxy-trust.ts';

const chain = '1.1.1.1, 10.0.0.5, 127.0.0.1';

test.each([
  [false, '127.0.0.1', chain, '127.0.0.1'],
  [true, '9.9.9.9', chain, '127.0.0.1'],
  ['true', '9.9.9.9', undefined, '9.9.9.9'],
  [0, '9.9.9.9', chain, '9.9.9.9'],
  ['2', '9.9.9.9', chain, '10.0.0.5'],
  [9, '9.9.9.9', chain, '1.1.1.1'],
  ['loopback', '127.0.0.1', chain, '10.0.0.5'],
  ['loopback', '::ffff:127.0.0.1', '1.1.1.1', '1.1.1.1'],
  ['loopback', '9.9.9.9', chain, '9.9.9.9'],
  ['loopback, 10.0.0.0/8', '::1', chain, '1.1.1.1'],
  ['uniquelocal', '192.168.1.1', 'forged, 10.1.1.1', 'forged'],
  ['2001:db8::/32', '2001:db8::1', '1.1.1.1', '1.1.1.1'],
  ['10.0.0.7', '10.0.0.8', '1.1.1.1', '10.0.0.8'],
])('with %s a request from %s for %s came from %s', (setting, remote, forwarded, client) => {
  expect(toProxyTrust(setting).clientOf(remote, forwarded)).toBe(client);
});

test('headers are believed of a trusted proxy alone', () => {
  expect(toProxyTrust('loopback').isTrusted('127.0.0.1')).toBe(true);
  expect(toProxyTrust('loopback').isTrusted('10.0.0.1')).toBe(false);
  expect(toProxyTrust(true).isTrusted('10.0.0.1')).toBe(true);
  expect(toProxyTrust(false).isTrusted('127.0.0.1')).toBe(false);
});
