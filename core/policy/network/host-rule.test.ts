import { expect, test } from 'vitest';
import { findRule, isLocalRule, parseAuthority, parseHostRule, toAllowedAddresses, toHostRules } from './host-rule.ts';

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

test('only rules with this machine or an address are local', () => {
  const local = ['localhost', 'a.localhost', '127.0.0.1', '[::1]:80', '10.0.0.7'];
  expect(local.map((text) => isLocalRule(parseHostRule(text)))).toEqual(local.map(() => true));
  expect(isLocalRule(parseHostRule('pypi.org'))).toBe(false);
});

test('a connection is opened to no address of this machine by a name, and to public ones only by a rule for any host', () => {
  const addresses = ['127.0.0.1', '::1', '169.254.169.254', '10.0.0.7', '151.101.0.223'];
  const allowed = (rule: string) => toAllowedAddresses(parseHostRule(rule), addresses);
  expect(allowed('localhost')).toEqual(addresses);
  expect(allowed('pypi.org')).toEqual(['10.0.0.7', '151.101.0.223']);
  expect(toAllowedAddresses({ host: '*', isBelow: false, port: 0 }, addresses)).toEqual(['151.101.0.223']);
});

test('authorities become rules with the same hosts and ports', () => {
  const rules = toHostRules([
    { kind: 'net', host: '*.example.com', port: 443 },
    { kind: 'net', host: '*', port: 0 },
    { kind: 'exec' },
  ]);
  expect(rules).toEqual([
    { host: 'example.com', isBelow: true, port: 443 },
    { host: '*', isBelow: false, port: 0 },
  ]);
  expect(findRule(rules.slice(0, 1), { host: 'a.example.com', port: 80 })).toBeUndefined();
  expect(findRule(rules, { host: 'other.org', port: 22 })).toBe(rules[1]);
});
