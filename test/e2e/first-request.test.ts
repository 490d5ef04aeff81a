// Covers core/agent/context, adapters/tools: size and content of the first request.
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

test.each(['anthropic', 'openai'] as const)('the first request of a small task fits into 8 KB: %s', async (wire) => {
  await using engine = await createTestEngine({
    files: {
      'package.json': '{"name":"small","type":"module"}',
      'src/sum.js': 'export const sum = (a, b) => a - b;\n',
    },
    script: { wire, steps: [{ reply: { text: 'Done.' } }] },
  });
  const session = await engine.klaus.open();
  await session.prompt('The sum is wrong. Fix it, run the tests, and report what you did.');
  await session.advance();
  const [first] = engine.server.requests;
  const bytes = Buffer.byteLength(first!.body);
  process.stdout.write(`first request, ${wire}: ${bytes} bytes\n`);
  expect(bytes).toBeLessThanOrEqual(8_192);
  // It contains what is needed to find all other tools.
  expect(first!.body).toContain('"tool_search"');
  expect(first!.body).toContain('"use_tool"');
  for (const name of ofType(await Array.fromAsync(session.events()), 'session.opened')[0]!.deferred ?? [])
    expect(first!.body).toContain(name);
});
