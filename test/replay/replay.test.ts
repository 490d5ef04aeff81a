import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createModelServer, createModels, type Script } from '@klaus/adapters/models';
import type { ReplayedRequest, Session } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { createProject, TWELVE_TOOLS } from '../faults/twelve-tools.ts';
import { rmSync } from 'node:fs';

/** Replays and expects every request and every event to be as recorded. */
async function expectEqual(session: Session): Promise<ReplayedRequest[]> {
  const requests: ReplayedRequest[] = [];
  const replayed = await session.replay({ onRequest: (request) => requests.push(request) });
  expect(replayed).toMatchObject({ outcome: 'equal' });
  expect(replayed.requests).toBe(ofType(session.events(), 'turn.started').length);
  expect(replayed.events + replayed.skipped + replayed.inherited).toBe([...session.events()].length);
  return requests;
}

/** The bodies that the real client sends for the replayed requests, as a server gets them. */
async function toBodies(requests: readonly ReplayedRequest[], wire: Script['wire']): Promise<string[]> {
  const server = await createModelServer({ script: { steps: [], fallback: { text: 'ok' } } });
  const models = createModels({
    keys: {},
    scripted: async () => ({ url: server.url, ...(wire ? { wire } : {}) }),
  } as Parameters<typeof createModels>[0]);
  for (const { model: name, request } of requests) {
    const model = await models.resolve(name);
    for await (const _ of model.stream(request, { signal: new AbortController().signal }));
  }
  const bodies = postsOf(server.requests);
  await server.close();
  return bodies;
}

function postsOf(requests: TestEngine['server']['requests']): string[] {
  return requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
}

describe('a recorded session is made again with the same requests', () => {
  test.each(['anthropic', 'openai'] as const)('byte for byte as the server got them, in the wire of %s', async (wire) => {
    await using engine = await createTestEngine({ script: { ...TWELVE_TOOLS, wire } });
    rmSync(engine.place.workspace, { recursive: true });
    createProject(engine.place.workspace);
    writeFileSync(join(engine.place.workspace, 'AGENTS.md'), 'Keep it short.\n');
    const session = await engine.klaus.open();
    await session.prompt('do twelve things');
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
    const requests = await expectEqual(session);
    const sent = postsOf(engine.server.requests);
    expect(sent.length).toBeGreaterThan(9);
    expect(await toBodies(requests, wire)).toEqual(sent);
  });
});
