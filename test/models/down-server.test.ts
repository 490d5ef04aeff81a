// Covers adapters/models/local, sdk/open: a configured program that serves models and does not run yet.
import { createKlaus } from '@klaus/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { createModels } from '../../adapters/models/index.ts';
import { ofType } from '../fixtures/engine.ts';
import { startLocalProgram, type LocalFamily, type LocalProgram } from '../fixtures/local-program.ts';
import { createTestHome } from '../fixtures/test-home.ts';

/** A program that has ended, and starts again at its port. */
async function stopProgram(family: LocalFamily): Promise<{ origin: string; restart: () => Promise<LocalProgram> }> {
  const { origin, ...program } = await startLocalProgram({ family });
  await program[Symbol.asyncDispose]();
  return {
    origin,
    async restart() {
      const started = await startLocalProgram({ family, port: Number(new URL(origin).port), window: 20_480 });
      onTestFinished(() => started[Symbol.asyncDispose]());
      return started;
    },
  };
}

test.each<[family: LocalFamily, start: string]>([
  ['ollama', 'ollama serve'],
  ['llamacpp', 'llama-server'],
  ['lmstudio', 'lms server start'],
  ['vllm', 'vllm serve'],
])('%s: the session opens, the first prompt names the command, and the next one works', async (family, start) => {
  using place = createTestHome();
  const { origin, restart } = await stopProgram(family);
  const servers = { own: { baseUrl: `${origin}/v1`, family } };
  const settings = { servers, model: 'own/m', 'sandbox.driver': 'host', 'retry.attempts': 1 } as const;
  await using klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: place.env, settings });
  const session = await klaus.open();
  await session.prompt('Say hello.');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'model_failed' } });
  const [failed] = ofType(await Array.fromAsync(session.events()), 'model.attempted');
  expect(failed).toMatchObject({ outcome: 'connection', message: expect.stringContaining(start) });
  await restart();
  await session.prompt('Say hello.');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  const turn = ofType(await Array.fromAsync(session.events()), 'turn.started').at(-1);
  expect(turn?.modelInfo?.contextWindow).toBe(20_480);
});

test('a request that is sent again reaches a program that has started since', async () => {
  const { origin, restart } = await stopProgram('llamacpp');
  const servers = { own: { baseUrl: `${origin}/v1`, wire: 'chat' as const, family: 'llamacpp' as const } };
  const models = createModels({ keys: {}, servers, env: {} });
  const model = await models.resolve('own/m');
  const messages = [
    { id: 'M1', role: 'user' as const, origin: 'user' as const, parts: [{ type: 'text' as const, text: 'Hello.' }] },
  ];
  const request = { system: '', tools: [], messages, maxOutputTokens: 100, session: 'S' };
  const ask = () => Array.fromAsync(model.stream(request, { signal: new AbortController().signal }));
  expect((await ask()).at(-1)).toMatchObject({ type: 'failed', failure: { code: 'connection' } });
  await restart();
  expect((await ask()).at(-1)).toMatchObject({ type: 'finished' });
  expect((await models.resolve('own/m')).info.contextWindow).toBe(20_480);
});
