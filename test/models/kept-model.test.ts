// Covers adapters/models/local, sdk/engine: Ollama keeps the model of an open session in memory.
import { createKlaus } from '@klaus/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { createAsk, READ } from '../../adapters/models/local/ask-server.ts';
import { OLLAMA } from '../../adapters/models/local/ollama.ts';
import { startLocalProgram, type LocalProgramOptions } from '../fixtures/local-program.ts';
import { pollUntil } from '../fixtures/poll.ts';
import { createTestHome } from '../fixtures/test-home.ts';

async function start(options: Partial<LocalProgramOptions> = {}) {
  const program = await startLocalProgram({ family: 'ollama', ...options });
  onTestFinished(() => program[Symbol.asyncDispose]());
  return { program, ask: createAsk({ origin: program.origin, ...READ }) };
}

test('after a request the model is kept for the time of the setting, without any text', async () => {
  using place = createTestHome();
  const { program } = await start({ expiresInMs: 0 });
  const servers = { own: { baseUrl: `${program.origin}/v1`, family: 'ollama' as const } };
  const settings = { servers, model: 'own/m', 'sandbox.driver': 'host', 'models.keepLoadedMs': 4_000 } as const;
  await using klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: place.env, settings });
  const session = await klaus.open();
  await session.prompt('Say hello.');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  await pollUntil(() => program.loads.length > 0);
  expect(program.loads).toEqual([{ model: 'm', keep_alive: 2 }]);
  expect(program.bodies).toHaveLength(1);
});

test('a model that was unloaded is not loaded again', async () => {
  const { program, ask } = await start({ isLoaded: false });
  expect(await OLLAMA.keep!(ask, 'm', 1_000)).toBe(false);
  expect(program.loads).toEqual([]);
});

test('a longer time of the program is not shortened', async () => {
  const { program, ask } = await start({ expiresInMs: 3_600_000 });
  expect(await OLLAMA.keep!(ask, 'm', 60_000)).toBe(true);
  expect(program.loads).toEqual([]);
  expect(await OLLAMA.keep!(ask, 'm', 7_200_000)).toBe(true);
  expect(program.loads).toEqual([{ model: 'm', keep_alive: 7_200 }]);
});
