import { expect, test } from 'vitest';
import { z } from 'zod';
import { createToolRegistry } from '@klaus/core/agent';
import { allowsToolUse, toDefaultGrant } from '@klaus/core/policy';
import { USE_TOOL } from '@klaus/core/protocol';
import { builtinTools } from './index.ts';

test('the tools of a request of a default session fit into 5,500 bytes', () => {
  const tools = createToolRegistry(builtinTools);
  const grant = toDefaultGrant('/workspace');
  const offered = tools.offered.filter((name) => name === USE_TOOL || allowsToolUse(grant, tools.get(name), 0));
  const specs = tools.specs(offered).map(({ effects: _, ...spec }) => spec);
  const bytes = Buffer.byteLength(JSON.stringify(specs));
  process.stdout.write(`tools in a request: ${bytes} bytes\n`);
  expect(bytes).toBeLessThan(5_500);
});

test('every tool is offered or deferred', () => {
  const { offered, deferred } = createToolRegistry(builtinTools);
  const names = builtinTools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect([...offered, ...deferred]).toEqual(expect.arrayContaining(names));
});

test.each(builtinTools.map((tool) => [tool.name, tool] as const))('the input of %s is an object', (_, tool) => {
  expect(z.toJSONSchema(tool.input)).toMatchObject({ type: 'object' });
  expect(tool.input.safeParse(tool.example.input)).toMatchObject({ success: true });
});
