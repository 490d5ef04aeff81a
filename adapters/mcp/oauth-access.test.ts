import { expect, test } from 'vitest';
import { createLoginFetch } from './oauth-access.ts';

/** The addresses that a login to a public server asks, of which the first answers with a redirect. */
async function ask(first: string, { server, to }: { server: string; to?: string }) {
  const asked: string[] = [];
  const request = createLoginFetch(server, async (target) => {
    asked.push(String(target));
    const isFirst = asked.length === 1 && to !== undefined;
    return new Response(null, isFirst ? { status: 302, headers: { location: to } } : { status: 200 });
  });
  const code = await request(first).then(
    () => 'ok',
    (error: { code?: string }) => error.code,
  );
  return { asked, code };
}

test.each([
  ['https://127.0.0.1/latest/meta-data/'],
  ['https://169.254.169.254/latest/meta-data/'],
  ['https://[::1]/a'],
  ['https://[::ffff:127.0.0.1]/a'],
  ['https://10.0.0.5/a'],
  ['https://localhost/a'],
  ['https://2130706433/a'],
  ['http://203.0.113.5/a'],
  ['file:///etc/passwd'],
])('a login to a public server does not reach %s, named or by a redirect', async (address) => {
  const server = 'https://8.8.8.8/mcp';
  expect(await ask(address, { server })).toEqual({ asked: [], code: 'auth' });
  expect(await ask('https://8.8.8.8/a', { server, to: address })).toEqual({
    asked: ['https://8.8.8.8/a'],
    code: 'auth',
  });
});

test('a login reaches another public server, and a private one from a private one', async () => {
  expect(await ask('https://1.1.1.1/a', { server: 'https://8.8.8.8/mcp', to: 'https://1.0.0.1/b' })).toEqual({
    asked: ['https://1.1.1.1/a', 'https://1.0.0.1/b'],
    code: 'ok',
  });
  expect(await ask('https://10.0.0.9/a', { server: 'https://10.0.0.5/mcp' })).toMatchObject({ code: 'ok' });
  expect(await ask('https://127.0.0.1/a', { server: 'https://10.0.0.5/mcp' })).toMatchObject({ code: 'auth' });
});
