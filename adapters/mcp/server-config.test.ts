import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { findVariables, toMcpServer } from './server-config.ts';

const env = { HOME: '/home/u', TOKEN: 't', EMPTY: '' };

test('variables and the home folder are replaced in commands, arguments, variables, addresses and headers', () => {
  const program = {
    command: '~/bin/${NAME:-serve}',
    args: ['~', '~/data', '${env:TOKEN}', 'a~/b', '~other/x', '${EMPTY:-e}'],
    env: { ROOT: '~/root', KEY: '${TOKEN}' },
  };
  expect(toMcpServer('one', program, env)).toEqual({
    kind: 'stdio',
    command: '/home/u/bin/serve',
    args: ['/home/u', '/home/u/data', 't', 'a~/b', '~other/x', 'e'],
    env: { ROOT: '/home/u/root', KEY: 't' },
  });
  const address = {
    type: 'http',
    url: 'https://${NAME:-example.com}/mcp',
    headers: { Authorization: 'Bearer ${TOKEN}' },
  };
  expect(toMcpServer('one', address, env)).toEqual({
    ...{ kind: 'http', url: 'https://example.com/mcp' },
    headers: { Authorization: 'Bearer t' },
  });
  expect(toMcpServer('one', { command: '~/x' }, {})).toMatchObject({ command: `${homedir()}/x` });
  expect(findVariables([program, address])).toEqual(['NAME', 'TOKEN', 'EMPTY']);
});

test('a variable that is not set is an error', () => {
  expect(() => toMcpServer('one', { command: '${env:NONE}' }, env)).toThrow(
    expect.objectContaining({ code: 'config' }),
  );
});

test.each([
  ['sse', { over: 'sse' }],
  ['http', {}],
  ['streamable-http', {}],
  [undefined, {}],
])('the type %s of an address', (type, shape) => {
  const server = toMcpServer('one', { type, url: 'http://localhost/sse' }, env);
  expect(server).toEqual({ kind: 'http', url: 'http://localhost/sse', headers: {}, ...shape });
});
