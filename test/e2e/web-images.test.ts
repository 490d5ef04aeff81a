// Covers adapters/tools/web, core/agent/state, core/agent/redaction, adapters/models: images that web_fetch reads.
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { play } from '../fixtures/play.ts';
import { openSite, type Page } from '../fixtures/site.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext, noSandbox } from '../fixtures/tool-context.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEUlEQVR4nGP4z8DwH4YZkDkAm34L9XKwuTwAAAAASUVORK5CYII=',
  'base64',
);
const IMAGE = { type: 'image', mediaType: 'image/png', data: PNG.toString('base64') };

/** The same with another size in its header. */
function withSize(width: number, height: number): Buffer {
  const bytes = Buffer.from(PNG);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

async function fetchPage(page: Page) {
  using place = createTestHome();
  await using site = await openSite({ '/a': page });
  const context = createToolContext({ workspace: await createWorkspace(place.workspace), sandbox: noSandbox });
  return await callTool(builtinTools, 'web_fetch', { input: { url: `${site.url}/a` }, context });
}

test.each([
  ['its type', 'image/png'],
  ['another type of image', 'image/jpeg'],
  ['a general type', 'application/octet-stream'],
])('an image is read by its content, with %s', async (_, type) => {
  expect(await fetchPage({ type, body: PNG })).toMatchObject({
    images: [IMAGE],
    untrusted: { addresses: [], isWeb: true },
    detail: { type: 'image/png' },
  });
});

test.each<[string, Page]>([
  ['too many bytes', { type: 'image/png', body: Buffer.concat([PNG, Buffer.alloc(3_750_000)]) }],
  ['more bytes than are read', { type: 'image/png', body: Buffer.concat([PNG, Buffer.alloc(6_000_000)]) }],
  ['too many pixels of a side', { type: 'image/png', body: withSize(8_001, 1) }],
  ['too many pixels', { type: 'image/png', body: withSize(7_000, 7_000) }],
  ['no size', { type: 'image/png', body: withSize(0, 2) }],
  ['only its first bytes', { type: 'image/png', body: PNG.subarray(0, 12) }],
  ['another format', { type: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }],
])('an image with %s is an error', async (_, page) => {
  const output = await fetchPage(page);
  expect(output).toMatchObject({ isError: true, detail: { code: 'tool.failed' }, untrusted: { addresses: [] } });
  expect(output.images).toBeUndefined();
});

test.each(['anthropic', 'openai', 'responses'] as const)('the model gets the image over %s', async (wire) => {
  await using site = await openSite({ '/a.png': { type: 'image/png', body: PNG } });
  await using engine = await createTestEngine({
    script: {
      wire,
      steps: [
        {
          when: { turn: 0, tools: true },
          reply: { calls: [{ name: 'web_fetch', input: { url: `${site.url}/a.png` } }] },
        },
      ],
      fallback: { text: 'A picture.' },
    },
    settings: { approve: 'auto', checkpoint: 'manual' },
  });
  const session = await engine.klaus.open({ grant: 'web-access, net(127.0.0.1, 0)' });
  await play(engine.klaus, session, { user: 'none', prompt: `Look at ${site.url}/a.png` });
  const events = await Array.fromAsync(session.events());
  expect(ofType(events, 'tool.finished')[0]).toMatchObject({ outcome: 'ok', images: [IMAGE] });
  const body = engine.server.requests.find(({ body }) => body.includes(IMAGE.data))!.json as Record<string, unknown>;
  const history = body[wire === 'responses' ? 'input' : 'messages'] as { content: object[] }[];
  const url = `data:image/png;base64,${IMAGE.data}`;
  expect(history.at(-1)!.content.at(-1)).toMatchObject(
    {
      anthropic: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE.data } },
      openai: { type: 'image_url', image_url: { url } },
      responses: { type: 'input_image', image_url: url },
    }[wire],
  );
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});
