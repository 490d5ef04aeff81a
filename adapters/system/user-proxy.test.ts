import { expect, test } from 'vitest';
import { findUserProxy, parseProxy, toProxyEnvironment } from './user-proxy.ts';

const env = { HTTPS_PROXY: 'http://me:pass%20word@proxy.test:3128', http_proxy: 'plain.test:8080' };
const find = (host: string, port = 443, more: Record<string, string> = {}) =>
  findUserProxy({ ...env, ...more }, { host, port })?.url.host;

test('the scheme of the target chooses the proxy, and a proxy without a scheme is one of http', () => {
  expect(find('api.test')).toBe('proxy.test:3128');
  expect(find('api.test', 80)).toBe('plain.test:8080');
  expect(findUserProxy(env, { host: 'api.test', port: 8080, isSecure: false })?.url.host).toBe('plain.test:8080');
  expect(find('api.test', 80, { http_proxy: '', ALL_PROXY: 'https://all.test' })).toBe('all.test');
  expect(parseProxy(env.HTTPS_PROXY)?.authorization).toBe(`Basic ${Buffer.from('me:pass word').toString('base64')}`);
});

test.for(['socks5://proxy.test:1080', 'nonsense://x', 'http://', ''])('%s is ignored', (text) => {
  expect(parseProxy(text)).toBeUndefined();
});

test.for([
  ['example.com', 'example.com', 443, false],
  ['example.com', 'api.example.com', 443, false],
  ['.example.com', 'api.example.com', 443, false],
  ['*.example.com', 'api.example.com', 443, false],
  ['EXAMPLE.com.', 'example.com', 443, false],
  ['example.com', 'notexample.com', 443, true],
  ['example.com:8443', 'example.com', 8443, false],
  ['example.com:8443', 'example.com', 443, true],
  ['other.test, example.com', 'example.com', 443, false],
  ['*', 'anything.test', 443, false],
  ['10.0.0.0/8', '10.1.2.3', 443, false],
  ['10.0.0.0/8', '11.1.2.3', 443, true],
  ['192.168.7.7', '192.168.7.7', 443, false],
  ['192.168.7.7:80', '192.168.7.7', 443, true],
  ['fd00::/8', 'fd12::1', 443, false],
  ['[fd12::1]:8443', 'fd12::1', 8443, false],
  ['10.0.0.0/8', 'ten.example.com', 443, true],
  ['10.0.0.0/99', '10.0.0.0', 443, false],
  ['', 'localhost', 443, false],
  ['', '127.8.9.1', 443, false],
  ['', '::1', 443, false],
] as const)('NO_PROXY=%s and %s:%i', ([noProxy, host, port, isProxied]) => {
  expect(find(host, port, { NO_PROXY: noProxy }) !== undefined).toBe(isProxied);
});

test('the environment for Node has the proxies of ALL_PROXY, hosts below the exceptions, and loopback', () => {
  const found = toProxyEnvironment({ ALL_PROXY: 'proxy.test:3128', NO_PROXY: 'example.com,10.0.0.1' });
  expect(found).toMatchObject({ http_proxy: 'http://proxy.test:3128/', https_proxy: 'http://proxy.test:3128/' });
  expect(found!['no_proxy']!.split(',')).toEqual(
    expect.arrayContaining(['example.com', '.example.com', '10.0.0.1', 'localhost', '127.0.0.1']),
  );
  expect(toProxyEnvironment({ HTTPS_PROXY: 'socks5://proxy.test' })).toBeUndefined();
  expect(toProxyEnvironment({ NO_PROXY: '*' })).toBeUndefined();
});
