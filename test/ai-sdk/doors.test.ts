// Covers adapters/models/ai-sdk, sdk/engine: doors with models of the AI SDK, and what users see without a package.
import { createRequire } from 'node:module';
import { readFileSync, symlinkSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createKlaus, diagnose, toCanonical, type AiProvider, type Event } from '@klaus/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEditor } from '../acp/editor.ts';
import { erasePrompt, FILES, LIMITS, PROMPT, SESSION } from '../doors/golden/story.ts';
import { runKlaus, startServer, toEnv, toEvents } from '../fixtures/klaus.ts';
import { follow, startServeProcess, untilReleased } from '../fixtures/server.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { installProviders, KEY, PROVIDERS, toSettings, type ProviderFolder } from './providers.ts';

let packages: ProviderFolder;
beforeAll(() => {
  packages = installProviders();
}, 120_000);
afterAll(() => packages[Symbol.dispose]());

type Server = Awaited<ReturnType<typeof startServer>>;

/** A home of a user who has installed the packages and has this server in the settings. */
function prepare(place: TestHome, server: Server, model: string): Record<string, string> {
  mkdirSync(place.home, { recursive: true });
  symlinkSync(packages.folder, join(place.home, 'ai-sdk'));
  writeFileSync(join(place.home, 'config.yaml'), JSON.stringify({ aiSdk: toSettings(server.url) }));
  return { AGENT_MODEL: model, ...LIMITS };
}

function toStory(place: TestHome, events: readonly Event[], model: string): string {
  const canonical = toCanonical([...events], new Map([[place.workspace, '/workspace']])).map(erasePrompt);
  return JSON.stringify(canonical, undefined, 2).replaceAll(model, 'MODEL');
}

/** @param env Chooses the model. */
type Door = (place: TestHome, env: Record<string, string>, server: Server) => Promise<Event[]>;

const DOORS: Record<string, Door> = {
  'klaus run --json': async (place, env) => {
    const ended = await runKlaus(['run', '--json', PROMPT], { place, env });
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    return toEvents(ended.stdout);
  },
  'klaus acp': async (place, env) => {
    await using editor = await startEditor({ place, env, words: ['--on-ask', 'deny'] });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, PROMPT);
    expect(await editor.end()).toBe(0);
    return toEvents((await runKlaus(['show', sessionId, '--json'], { place })).stdout);
  },
  'klaus serve': async (place, env, server) => {
    const serve = await startServeProcess(place, server, { words: ['--on-ask', 'deny'], env });
    const { session } = await serve.client.openSession({ body: { text: PROMPT } });
    const followed = follow(serve.client, session);
    await followed.until('run.finished');
    await untilReleased(serve.client, session);
    serve.process.kill('SIGTERM');
    await serve.process.ended;
    await followed.stop();
    return followed.events;
  },
};

test.each(Object.entries(DOORS))('%s gives the golden log', async (_, door) => {
  using place = createTestHome(FILES);
  await using server = await startServer(SESSION);
  const events = await door(place, prepare(place, server, PROVIDERS.anthropic), server);
  const golden = readFileSync(join(import.meta.dirname, '../doors/golden/session.json'), 'utf8').trim();
  expect(toStory(place, events, PROVIDERS.anthropic)).toBe(golden.replaceAll('anthropic/claude-sonnet-5-5', 'MODEL'));
  expect(JSON.stringify(events)).not.toContain(KEY);
});

/** What differs between providers: what they want back with their reasoning, and how a text is cut into pieces. */
function eraseProvider(story: string): string {
  return story.replaceAll(/,\s*"providerState": \{\s*"data": \{[^{}]*\}(?:,\s*"plain": true)?\s*\}/g, '');
}

test.each([
  [PROVIDERS.local, 'openai/some-model'],
  [PROVIDERS.openai, 'scripted/story'],
] as const)('the log of %s is that of the native client of %s', async (bridged, native) => {
  const record = async (model: string): Promise<string> => {
    using place = createTestHome(FILES);
    await using server = await startServer(SESSION);
    const env = { ...toEnv({ place }), OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${server.url}/v1` };
    prepare(place, server, model);
    const scripted = async () => ({ url: server.url, wire: 'responses' as const });
    // The price of a script is zero, and that of the model is known.
    const settings = { model, prices: { [PROVIDERS.openai]: { input: 0, output: 0 } } };
    await using klaus = await createKlaus({ cwd: place.workspace, env, scripted, settings });
    const session = await klaus.open();
    await session.prompt(PROMPT);
    await session.advance();
    return eraseProvider(toStory(place, await Array.fromAsync(session.events()), model));
  };
  expect(await record(bridged)).toBe(await record(native));
});

test('a missing package ends a run with the command that installs it, and `klaus doctor` finds it', async () => {
  // Packages of a workspace are not loaded, because their code would run outside of the gate.
  using place = createTestHome({
    'node_modules/@ai-sdk/mistral/package.json': '{ "type": "module", "exports": "./index.js" }',
    'node_modules/@ai-sdk/mistral/index.js': "throw new Error('code of the workspace ran');",
  });
  const env = { AGENT_MODEL: 'ai/mistral/mistral-large-latest' };
  const command = `npm install --prefix ${join(place.home, 'ai-sdk')} @ai-sdk/mistral`;
  const ended = await runKlaus(['run', 'Hello'], { place, env });
  expect(ended.code).not.toBe(0);
  expect(ended.stderr).toContain(command);
  expect(ended.stderr).not.toContain('of the workspace ran');
  const findings = await diagnose({ env: toEnv({ place, env }), cwd: place.workspace });
  expect(findings.find(({ name }) => name === 'model')).toMatchObject({
    status: 'fail',
    code: 'config',
    fix: expect.stringContaining(command) as string,
  });
});

test('the SDK takes providers as objects, and tiers are theirs without keys of other providers', async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [{ reply: { text: 'Hello.' } }] });
  const load = createRequire(join(packages.folder, 'index.js'));
  const { createOpenAICompatible } = load('@ai-sdk/openai-compatible') as Record<
    string,
    (options: object) => AiProvider
  >;
  const mine = createOpenAICompatible!({ name: 'mine', baseURL: `${server.url}/v1` });
  const settings = { model: 'opus', 'tiers.ai.opus': 'mine/large' };
  await using klaus = await createKlaus({
    cwd: place.workspace,
    env: toEnv({ place }),
    settings,
    aiProviders: { mine },
  });
  const session = await klaus.open();
  await session.prompt('Hello');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(events[0]).toMatchObject({ type: 'session.opened', model: 'ai/mine/large' });
  expect(events.find(({ type }) => type === 'run.finished')).toMatchObject({ outcome: 'done' });
});
