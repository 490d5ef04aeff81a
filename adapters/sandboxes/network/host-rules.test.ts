import { expect, test } from 'vitest';
import { findRule, isLocalAddress, isLocalRule, parseAuthority, parseHostRule } from './host-rules.ts';

test.for([
  ['pypi.org', { host: 'pypi.org', isBelow: false }],
  ['PyPI.org.', { host: 'pypi.org', isBelow: false }],
  ['*.example.com', { host: 'example.com', isBelow: true }],
  ['localhost:4873', { host: 'localhost', isBelow: false, port: 4873 }],
  ['10.0.0.7:8081', { host: '10.0.0.7', isBelow: false, port: 8081 }],
  ['[::1]:8080', { host: '::1', isBelow: false, port: 8080 }],
] as const)('%s is a host', ([text, rule]) => {
  expect(parseHostRule(text)).toEqual(rule);
});

const NONE = [
  ...['', '*', '*.', '.', 'a..b', '-a.org', 'https://pypi.org', 'pypi.org/simple', 'user@pypi.org', 'pypi.org:', 'a b'],
  ...['pypi.org:0', 'pypi.org:65536', 'pypi.org:443:80', '::1', '[::1', '[pypi.org]', 'a\r\nb', 'a\0b', 'pypi。org'],
];

test.for(NONE)('%o is not a host', (text) => {
  expect(() => parseHostRule(text)).toThrow(expect.objectContaining({ code: 'usage' }));
  expect(parseAuthority(text)).toBeUndefined();
});

const RULES = ['pypi.org', '*.example.com', 'localhost:4873'].map(parseHostRule);

test.for([
  ['pypi.org', 443, true],
  ['pypi.org', 80, true],
  ['pypi.org', 22, false],
  ['evil-pypi.org', 443, false],
  ['pypi.org.evil.com', 443, false],
  ['files.pypi.org', 443, false],
  ['a.example.com', 443, true],
  ['a.b.example.com', 443, true],
  ['example.com', 443, false],
  ['notexample.com', 443, false],
  ['localhost', 4873, true],
  ['localhost', 443, false],
] as const)('%s:%i is allowed: %s', ([host, port, isAllowed]) => {
  expect(findRule(RULES, { host, port }) !== undefined).toBe(isAllowed);
});

test.for(['127.0.0.1', '127.8.8.8', '0.0.0.0', '169.254.169.254', '::1', '::', 'fe80::1', 'fe80::1%eth0', 'febf::1'])(
  '%s is a loopback or link-local address',
  (address) => expect(isLocalAddress(address)).toBe(true),
);

test.for(['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:a9fe:a9fe', 'ff02::1', 'fd00:ec2::254', 'text'])(
  '%s is a loopback address in another form',
  (address) => expect(isLocalAddress(address)).toBe(true),
);

test.for(['151.101.0.223', '10.0.0.7', '192.168.1.1', '2a04:4e42::223', '::ffff:151.101.0.223', 'fd12::1'])(
  '%s is none',
  (address) => expect(isLocalAddress(address)).toBe(false),
);

test('only rules with this machine or an address are local', () => {
  const local = ['localhost', 'a.localhost', '127.0.0.1', '[::1]:80', '10.0.0.7'];
  expect(local.map((text) => isLocalRule(parseHostRule(text)))).toEqual(local.map(() => true));
  expect(isLocalRule(parseHostRule('pypi.org'))).toBe(false);
});
