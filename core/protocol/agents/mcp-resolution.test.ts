import { expect, test } from 'vitest';
import { resolveMcpServers } from './mcp-resolution.ts';

const AT = { project: { docs: 'project', both: 'project' }, parent: { tickets: 'parent', both: 'parent' } };

test.each([
  [{}, { docs: 'project', both: 'project' }],
  [{ inheritProjectMcps: false }, {}],
  [{ inheritParentMcps: true }, { docs: 'project', both: 'project', tickets: 'parent' }],
  [
    { inheritProjectMcps: false, inheritParentMcps: true },
    { tickets: 'parent', both: 'parent' },
  ],
  [{ mcpServers: ['tickets'], inheritProjectMcps: true, inheritParentMcps: false }, { tickets: 'parent' }],
  [{ mcpServers: [], inheritParentMcps: true }, {}],
])('%j', (definition, servers) => {
  expect(resolveMcpServers(definition, AT)).toEqual({ servers, unknown: [] });
});

test('names without a configuration are reported, and inherited properties are none', () => {
  const resolved = resolveMcpServers({ mcpServers: ['docs', 'missing', 'constructor'] }, AT);
  expect(resolved).toEqual({ servers: { docs: 'project' }, unknown: ['missing', 'constructor'] });
});
