import { describe, expect, test } from 'vitest';
import type { EventBody } from '../../protocol/index.ts';
import type { Tool } from '../ports/tool.ts';
import { canSend, findCommandSource, withSource } from './call-channel.ts';

const at = (driver: 'bubblewrap' | 'host') => ({
  driver,
  workspace: '/w',
  registries: () => ({ npm: ['127.0.0.1:4873', 'npm.example'] }),
});
const limited = { hosts: [] };

describe('a command', () => {
  test.each([
    ['without a network', 'curl x', false, undefined, undefined],
    ['that reached no host', 'ls', limited, [], undefined],
    ['that reached registries', 'npm ci', limited, ['registry.npmjs.org:443', '127.0.0.1:4873'], undefined],
    ['that reached a registry of the user', 'npm ci', limited, ['npm.example:443'], undefined],
    ['that reached another port of it', 'npm ci', limited, ['127.0.0.1:80'], '127.0.0.1:80'],
    ['that reached GitHub', 'gh pr view', limited, ['api.github.com:443'], 'api.github.com:443'],
    ['that also reached another host', 'x', limited, ['pypi.org:443', 'evil.example:443'], 'evil.example:443'],
    ['with a network without a limit', 'npm ci', true, undefined, 'from the network'],
    ['of which some hosts are allowed', 'npm ci', true, ['pypi.org:443'], undefined],
  ] as const)('%s', (_, command, network, reachedHosts, source) => {
    const request = { command, network: network === limited ? { hosts: [] } : (network as boolean) };
    const found = findCommandSource(request, reachedHosts ? { reachedHosts } : {}, at('bubblewrap'));
    if (source === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(source);
  });

  test.each([
    ['npm test', false],
    ['cat a.txt | grep b', false],
    ['curl https://example.com', true],
    ['gh issue view 4', true],
    ['sh -c "wget example.com"', true],
  ])('without a sandbox: %s', (command, isForeign) => {
    expect(findCommandSource({ command }, {}, at('host')) !== undefined).toBe(isForeign);
  });
});

const finished = { type: 'tool.finished', outcome: 'ok', output: '' } as Extract<EventBody, { type: 'tool.finished' }>;
const toTool = (more: Partial<Tool<unknown>>): Tool<unknown> => ({ effects: ['read'], ...more, name: 't' }) as never;
const sourceOf = (tool: Partial<Tool<unknown>>, found?: { source: string }) =>
  withSource(finished, { tool: toTool(tool), channel: found ? { found } : {}, redact: (text) => text }).untrusted
    ?.source;

describe('the result of a tool', () => {
  test('counts by what its services received, and by its effects if it declares nothing', () => {
    expect(sourceOf({})).toBeUndefined();
    expect(sourceOf({}, { source: 'a host' })).toBe('a host');
    expect(sourceOf({ effects: ['network'] })).toBe('the tool t');
    expect(sourceOf({ effects: ['read', 'deploy'] })).toBe('the tool t');
    expect(sourceOf({ effects: ['network'], origin: 'channel' })).toBeUndefined();
    expect(sourceOf({ effects: ['network'], origin: 'local' }, { source: 'a host' })).toBeUndefined();
    expect(sourceOf({ origin: 'others', maker: 'the MCP server one' })).toBe('the MCP server one');
  });

  test('keeps what the tool says itself', () => {
    const own = { ...finished, untrusted: { source: 'a page' } };
    expect(withSource(own, { tool: toTool({ origin: 'others' }), redact: (text) => text })).toBe(own);
  });
});

test('a program without a sandbox can send after a text of others than its maker', () => {
  const own = { sends: 'unconfined', maker: 'the MCP server one' } as const;
  expect(canSend(own, [])).toBe(false);
  expect(canSend(own, ['the MCP server one', 'descriptions of the MCP server one (…)'])).toBe(false);
  expect(canSend(own, ['the MCP server one', 'https://example.com/'])).toBe(true);
  expect(canSend({ sends: true }, [])).toBe(true);
  expect(canSend({}, ['https://example.com/'])).toBe(false);
});
