import { existsSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { ofType } from '../../fixtures/engine.ts';
import { listSessions, startKlaus } from '../../fixtures/klaus.ts';
import { startServeProcess, startTestServer } from '../../fixtures/server.ts';
import { type Checks, createScene, type Scene, toAgent } from './scene.ts';

/** The name of the model that the newest session was opened with. */
async function modelOf(scene: Scene): Promise<string> {
  const [session] = await listSessions(scene.place);
  return ofType(await scene.eventsOf(session!.id), 'session.opened')[0]!.model;
}

/** The environment of a user who has a key of OpenRouter alone. */
const onlyOpenRouter = ({ model }: Scene): Record<string, string> => ({
  ANTHROPIC_API_KEY: '',
  AGENT_MODEL: '',
  OPENROUTER_API_KEY: 'sk-or-0123456789abcdef',
  OPENROUTER_BASE_URL: `${model.url}/v1`,
});

export const FROM_ABA: Checks = {
  '`pip install -e .`': 'scripts/build.test.ts',
  '`aba`': 'test/doors/chat.test.ts',
  '`aba agent-name`': async () => {
    await using scene = await createScene({ '~/.klaus/agents/agent-name.md': toAgent('agent-name') });
    expect(await scene.klaus(['chat', 'agent-name'], { lines: ['hello'] })).toMatchObject({ code: 0 });
    expect(await scene.klaus(['run', '--agent', 'agent-name', 'hello again'])).toMatchObject({ code: 0 });
    expect(await listSessions(scene.place)).toHaveLength(2);
  },
  '`aba --model gpt-4`': async () => {
    await using scene = await createScene();
    const env = onlyOpenRouter(scene);
    for (const name of ['gpt-4', 'openai/gpt-4o-mini']) {
      expect(await scene.klaus(['-m', name, 'hello there'], { env })).toMatchObject({ code: 0 });
      expect(await modelOf(scene)).toMatch(new RegExp(`^openrouter/.*${name}$`));
    }
  },
  '`aba --no-history`': async () => {
    await using scene = await createScene();
    await scene.klaus(['chat', '--no-history'], { lines: ['hello'] });
    await scene.klaus(['chat'], { lines: ['hello'] });
    expect(await listSessions(scene.place)).toHaveLength(2);
    expect(await scene.klaus(['db', 'clear-sessions', '--yes'])).toMatchObject({ code: 0 });
    expect(await listSessions(scene.place)).toEqual([]);
  },
  '`aba --list`, `--export`, `--import`, `--delete`': 'test/doors/agents.test.ts',
  '`aba-web`, `python -m aba.web.server`': async () => {
    await using scene = await createScene();
    const { process, url, headers } = await startServeProcess(scene.place, scene.model);
    expect((await fetch(`${url}/api/sessions`, { headers })).status).toBe(200);
    process.kill('SIGTERM');
    expect(await process.ended).toMatchObject({ code: 0 });
  },
  '`/help`, `/capabilities`, `/tools`, `/clear` in the chat': async () => {
    await using scene = await createScene();
    const lines = ['/help', '/capabilities', '/tools', '/clear'];
    const { code, stdout, stderr } = await scene.klaus(['chat', '--no-history'], { lines });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    for (const shown of ['/capabilities', 'fs(', 'read_file', 'new session']) expect(stdout + stderr).toContain(shown);
  },
  '`rm -rf ~/.aba` (reset)': async () => {
    await using scene = await createScene();
    const other = `${scene.place.home}-other`;
    await scene.klaus(['run', 'hello there'], { env: { KLAUS_HOME: other } });
    expect(existsSync(`${other}/klaus.db`)).toBe(true);
    await scene.klaus(['run', 'hello there']);
    rmSync(scene.place.home, { recursive: true });
    expect(await listSessions(scene.place)).toEqual([]);
  },
  'page at `http://localhost:8000`': async () => {
    await using scene = await createScene();
    // A free port, which `--port` then names.
    const first = await startServeProcess(scene.place, scene.model);
    const { port } = new URL(first.url);
    first.process.kill('SIGTERM');
    await first.process.ended;
    const second = startKlaus(['serve', '--port', port], { place: scene.place, server: scene.model });
    await second.printed('stdout', `http://127.0.0.1:${port}/`);
    const [address] = /http:\S+/.exec(second.text.stdout)!;
    const [, token] = /token=([\w-]+)/.exec(address!)!;
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`http://127.0.0.1:${port}/api/sessions`, { headers })).status).toBe(200);
    second.kill('SIGTERM');
    await second.ended;
  },
  'page at `http://localhost:5173` (Vite)': 'names',
  '`GET /api/agents`': 'test/server/agents.test.ts',
  '`GET /api/agents/{name}`': async () => {
    await using it = await startTestServer({ files: { '~/.klaus/agents/talker.md': toAgent('talker') } });
    const { agents } = await it.client.agents();
    for (const { name } of agents) expect(await it.client.agent({ params: { name } })).toMatchObject({ name });
  },
  'WebSocket `/ws/chat/AGENT`': 'test/server/agents.test.ts',
  'no sign-in': 'test/server/door.test.ts',
  '`~/.aba/config.json`': async () => {
    await using scene = await createScene({ '~/.klaus/config.yaml': 'effort: high\n' });
    expect(await scene.setting('effort')).toMatchObject({ value: 'high' });
  },
  '`~/.aba/agents/NAME.json`': 'test/doors/agents.test.ts',
  '`~/.aba/history/NAME.json`, written at the end': async () => {
    await using scene = await createScene();
    await scene.klaus(['run', 'hello there']);
    const [session] = await listSessions(scene.place);
    expect(await scene.klaus(['show', session!.id])).toMatchObject({ code: 0 });
    const { code, stdout } = await scene.klaus(['db', 'query', 'SELECT count(*) AS n FROM sessions']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/\b1\b/) });
  },
  '`OPENROUTER_API_KEY`': async () => {
    await using scene = await createScene();
    expect(await scene.klaus(['run', 'hello there'], { env: onlyOpenRouter(scene) })).toMatchObject({ code: 0 });
    expect(await modelOf(scene)).toMatch(/^openrouter\//);
  },
  '`config.model` of an agent': async () => {
    const head = 'config:\n  model: openai/gpt-4o-mini\n';
    await using scene = await createScene({ '~/.klaus/agents/talker.md': toAgent('talker', head) });
    const env = onlyOpenRouter(scene);
    expect(await scene.klaus(['run', '--agent', 'talker', 'hello'], { env })).toMatchObject({ code: 0 });
    expect(await modelOf(scene)).toBe('openrouter/openai/gpt-4o-mini');
  },
  '`system_prompt` of an agent': 'test/doors/agents.test.ts',
  '`config.temperature`': 'test/e2e/sampling.test.ts',
  '`config.preserve_history`': async () => {
    const head = 'config:\n  preserve_history: false\n';
    await using scene = await createScene({ '~/.klaus/agents/talker.md': toAgent('talker', head) });
    await scene.klaus(['chat', 'talker'], { lines: ['hello'] });
    await scene.klaus(['chat', 'talker'], { lines: ['hello'] });
    const sessions = await listSessions(scene.place);
    expect(sessions).toHaveLength(2);
    const [opened] = ofType(await scene.eventsOf(sessions[0]!.id), 'session.opened');
    expect(opened).toMatchObject({ agent: 'talker' });
    expect(opened!.chat ?? false).toBe(false);
  },
  'none (chat only)': 'test/e2e/offered-tools.test.ts',
  '`file-operations`': 'test/e2e/grants.test.ts',
  '`code-execution`': 'test/e2e/grants.test.ts',
  '`web-access`': 'test/e2e/web-tools.test.ts',
  '`agent-creation`': 'test/e2e/agent-builder.test.ts',
  '`create_agent`, `modify_agent`, `delete_agent`, `list_agents`, `get_context_info`': 'test/e2e/tools.test.ts',
  'all of them': 'test/e2e/grants.test.ts',
};
