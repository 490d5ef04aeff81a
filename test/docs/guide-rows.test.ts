// Covers docs/guides, apps/cli, apps/server, sdk: what each row of the guides from other products says is what runs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listSessions, runKlaus, startServer, type Ended } from '../fixtures/klaus.ts';
import { startTestServer } from '../fixtures/server.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { ofType } from '../fixtures/engine.ts';
import type { Event } from '@klaus/sdk';

const ROOT = join(import.meta.dirname, '../..');
const toAgent = (name: string, head = ''): string =>
  `---\nname: ${name}\ndescription: Talks.\n${head}---\n\nYou talk.\n`;

interface Scene extends AsyncDisposable {
  readonly place: TestHome;
  klaus(words: readonly string[], lines?: readonly string[]): Promise<Ended>;
  eventsOf(id: string): Promise<Event[]>;
}

async function createScene(files: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const place = createTestHome(files);
  const server = await startServer({ steps: [], fallback: { text: 'A sentence.' } });
  const klaus: Scene['klaus'] = (words, lines) =>
    runKlaus(words, { place, server, ...(lines ? { stdin: lines.map((line) => `${line}\n`).join('') } : {}) });
  return {
    place,
    klaus,
    async eventsOf(id) {
      const { stdout } = await klaus(['show', id, '--json']);
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Event);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      place[Symbol.dispose]();
    },
  };
}

/** A row about a name or a place only, which `guides.test.ts` compares with the program; the test that runs it; or a run. */
type Check = 'names' | `test/${string}` | (() => Promise<void>);

const RUNS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  'from-aba.md': {
    '`pip install -e .`': 'names',
    '`aba`': 'test/doors/chat.test.ts',
    '`aba agent-name`': async () => {
      await using scene = await createScene({ '~/.klaus/agents/agent-name.md': toAgent('agent-name') });
      expect(await scene.klaus(['chat', 'agent-name'], ['hello'])).toMatchObject({ code: 0 });
      expect(await scene.klaus(['run', '--agent', 'agent-name', 'hello again'])).toMatchObject({ code: 0 });
      const sessions = await listSessions(scene.place);
      expect(sessions.map(({ id }) => id)).toHaveLength(2);
    },
    '`aba --model gpt-4`': 'names',
    '`aba --no-history`': async () => {
      await using scene = await createScene();
      await scene.klaus(['chat', '--no-history'], ['hello']);
      await scene.klaus(['chat'], ['hello']);
      expect(await listSessions(scene.place)).toHaveLength(2);
      expect(await scene.klaus(['db', 'clear-sessions', '--yes'])).toMatchObject({ code: 0 });
      expect(await listSessions(scene.place)).toEqual([]);
    },
    '`aba --list`, `--export`, `--import`, `--delete`': 'test/doors/agents.test.ts',
    '`aba-web`, `python -m aba.web.server`': 'names',
    '`/help`, `/capabilities`, `/tools`, `/clear` in the chat': async () => {
      await using scene = await createScene();
      const { code, stdout, stderr } = await scene.klaus(
        ['chat', '--no-history'],
        ['/help', '/capabilities', '/tools', '/clear'],
      );
      expect({ code, stderr }).toMatchObject({ code: 0 });
      for (const shown of ['/capabilities', 'fs(', 'read_file', 'new session'])
        expect(stdout + stderr).toContain(shown);
    },
    '`rm -rf ~/.aba` (reset)': 'names',
    'page at `http://localhost:8000`': 'names',
    'page at `http://localhost:5173` (Vite)': 'names',
    '`GET /api/agents`': 'test/server/agents.test.ts',
    '`GET /api/agents/{name}`': async () => {
      await using it = await startTestServer({ files: { '~/.klaus/agents/talker.md': toAgent('talker') } });
      const { agents } = await it.client.agents();
      for (const { name } of agents) expect(await it.client.agent({ params: { name } })).toMatchObject({ name });
    },
    'WebSocket `/ws/chat/AGENT`': 'test/server/agents.test.ts',
    'no sign-in': 'test/server/door.test.ts',
    '`~/.aba/config.json`': 'names',
    '`~/.aba/agents/NAME.json`': 'test/doors/agents.test.ts',
    '`~/.aba/history/NAME.json`, written at the end': 'names',
    '`OPENROUTER_API_KEY`': 'names',
    '`config.model` of an agent': 'names',
    '`system_prompt` of an agent': 'test/doors/agents.test.ts',
    '`config.temperature`': 'test/e2e/sampling.test.ts',
    '`config.preserve_history`': async () => {
      const head = 'config:\n  preserve_history: false\n';
      await using scene = await createScene({ '~/.klaus/agents/talker.md': toAgent('talker', head) });
      await scene.klaus(['chat', 'talker'], ['hello']);
      await scene.klaus(['chat', 'talker'], ['hello']);
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
  },
  'from-klaus-code.md': {
    '`npm run serve`, `npm run serve:detach`, `npm run stop`': 'names',
    '`./klaus "prompt"`': 'names',
    'page at `http://localhost:5173`': 'names',
    'API at `http://localhost:3001`': 'names',
    'packages `agent` and `ui` in two containers': 'names',
    'a Docker container for each command, through the Docker socket': 'names',
    '`docker compose logs -f agent`': 'names',
    '`cat /data/logs/agent-DATE.log`': 'test/server/logs.test.ts',
    '`sqlite3 /data/memory.db "SELECT …"`': 'test/docs/database.test.ts',
    '`node dist/index.js db stats`': async () => {
      await using scene = await createScene();
      expect(await scene.klaus(['db', 'stats'])).toMatchObject({ code: 0 });
    },
    '`node dist/index.js db clear-sessions`': 'names',
    '`docker ps -a --filter status=exited` (orphaned containers)': 'test/doors/sandbox-commands.test.ts',
    '`docker run … node:20-alpine sh -c "npm --version"` (manual test of the sandbox)':
      'test/doors/sandbox-commands.test.ts',
    '`npm run test:unit`, `test:integration`, `test:e2e`': 'names',
    '`/data/memory.db`': async () => {
      await using scene = await createScene();
      await scene.klaus(['run', 'hello there']);
      expect(existsSync(join(scene.place.home, 'klaus.db'))).toBe(true);
    },
    '`.env` beside `docker-compose.yml`': 'names',
    '`.env.example`': 'names',
    '`packages/agent/src/agent/Agent.ts`': 'names',
    '`packages/agent/src/server/AgentServer.ts`': 'names',
    '`packages/agent/src/tools/`': 'names',
    '`packages/agent/src/memory/DatabaseMemory.ts`': 'names',
    '`packages/agent/src/sandbox/DockerSandbox.ts`': 'names',
    '`packages/agent/src/config.ts`': 'names',
    '`packages/ui/src/`': 'names',
    '`ANTHROPIC_API_KEY`': 'names',
    '`AGENT_MODEL`': 'names',
    '`AGENT_API_SECRET`': 'test/server/door.test.ts',
    '`AGENT_TOKEN_BUDGET`': 'test/e2e/budget.test.ts',
    '`AGENT_CORS_ORIGIN`': 'test/server/door.test.ts',
    '`AGENT_TRUST_PROXY`': 'test/server/door.test.ts',
    '`AGENT_REQUIRE_PATCH_APPROVAL`': 'test/e2e/review.test.ts',
    '`DOCKER_ENABLED`': 'names',
    '`NETLIFY_AUTH_TOKEN`, `NETLIFY_SITE_ID`': 'test/deploy/netlify.test.ts',
    '`GIT_CREDENTIALS`': 'test/network/git-clone.test.ts',
    '`POST /api/prompt` with server-sent events': 'test/server/older-payloads.test.ts',
    'Socket.IO `prompt`, `cancel`, `join_session`, `leave_session`, `patch_approval_response`':
      'test/server/older-clients.test.ts',
    '`GET /api/sessions`, `GET /api/sessions/:id`, `PATCH /api/sessions/:id`, `DELETE /api/sessions/:id`, `GET /api/sessions/:id/export`':
      'test/server/sessions.test.ts',
    '`GET /api/files`, `GET /api/files/*`': 'test/server/secret-files.test.ts',
    '`GET /health`, `GET /metrics`': 'test/server/metrics.test.ts',
    'no token needed without `AGENT_API_SECRET`': 'test/server/door.test.ts',
    '`read_file`, `write_file`, `apply_patch`, `delete_file`, `list_files`, `search_files`': 'test/e2e/tools.test.ts',
    '`run_tests`, `npm_run`, `tsc_check`, `eslint_check`, `prettier_format`, `run_node_script`':
      'test/e2e/tools.test.ts',
    '`git_status`, `git_diff`, `git_log`, `git_checkpoint`, `git_commit`, `git_branch`': 'test/e2e/tools.test.ts',
    '`memory_get`, `memory_set`': 'test/e2e/tools.test.ts',
    '`npm_install`': 'test/network/install.test.ts',
    '`git_clone`': 'test/network/git-clone.test.ts',
    '`git_push`': 'names',
    '`deploy_netlify`, `deploy_vercel`, `deploy_aws_s3`, `terraform_*`, `generate_infrastructure`':
      'test/deploy/netlify.test.ts',
    'Docker daemon not reachable': 'names',
    'Path traversal blocked': 'names',
    'Token budget exceeded': 'test/e2e/loop.test.ts',
    'ECONNRESET during tool execution': 'names',
    'Slow `npm install` in the sandbox': 'names',
  },
};

/** The left column of each table, without its head. */
function readRows(guide: string): string[] {
  const text = readFileSync(join(ROOT, 'docs/guides', guide), 'utf8');
  const tables = text.split('\n\n').filter((part) => part.startsWith('| '));
  return tables.flatMap((table) => table.split('\n').slice(2)).flatMap((row) => /^\| (.*?) \| /.exec(row)?.[1] ?? []);
}

describe.each(Object.entries(RUNS))('%s', (guide, rows) => {
  test('each row has a check', () => {
    expect(readRows(guide).toSorted()).toEqual(Object.keys(rows).toSorted());
    for (const check of Object.values(rows))
      if (typeof check === 'string' && check !== 'names')
        expect([check, existsSync(join(ROOT, check))]).toEqual([check, true]);
  });

  test.each(Object.entries(rows).filter(([, check]) => typeof check === 'function'))('%s', async (_, check) => {
    expect.hasAssertions();
    await (check as () => Promise<void>)();
  });
});
