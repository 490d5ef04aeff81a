import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { listSessions, runKlaus, startServer } from '../../fixtures/klaus.ts';
import { startServeProcess } from '../../fixtures/server.ts';
import { createTestHome } from '../../fixtures/test-home.ts';
import { type Checks, createScene } from './scene.ts';

export const FROM_KLAUS_CODE: Checks = {
  '`npm run serve`, `npm run serve:detach`, `npm run stop`': 'test/container/container.test.ts',
  '`./klaus "prompt"`': 'scripts/build.test.ts',
  'page at `http://localhost:5173`': async () => {
    await using scene = await createScene();
    const { process, url, headers } = await startServeProcess(scene.place, scene.model);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/api/sessions`)).status).toBe(401);
    expect((await fetch(`${url}/api/sessions`, { headers })).status).toBe(200);
    process.kill('SIGTERM');
    await process.ended;
  },
  'API at `http://localhost:3001`': async () => {
    await using scene = await createScene();
    const { process, url } = await startServeProcess(scene.place, scene.model, { words: ['--host', '127.0.0.1'] });
    expect(new URL(url).hostname).toBe('127.0.0.1');
    process.kill('SIGTERM');
    await process.ended;
  },
  'packages `agent` and `ui` in two containers': 'test/container/container.test.ts',
  'a Docker container for each command, through the Docker socket': async () => {
    await using scene = await createScene();
    const { stdout } = await scene.klaus(['doctor', '--json']);
    const { findings } = JSON.parse(stdout) as { findings: { name: string }[] };
    const names = findings.map(({ name }) => name);
    for (const name of ['sandbox bubblewrap', 'sandbox docker']) expect(names).toContain(name);
  },
  '`docker compose logs -f agent`': 'test/container/container.test.ts',
  '`cat /data/logs/agent-DATE.log`': 'test/server/logs.test.ts',
  '`sqlite3 /data/memory.db "SELECT …"`': 'test/docs/database.test.ts',
  '`node dist/index.js db stats`': async () => {
    await using scene = await createScene();
    expect(await scene.klaus(['db', 'stats'])).toMatchObject({ code: 0 });
  },
  '`node dist/index.js db clear-sessions`': async () => {
    await using scene = await createScene();
    await scene.klaus(['run', 'hello there']);
    expect(await scene.klaus(['db', 'clear-sessions', '--yes'])).toMatchObject({ code: 0 });
    expect(await listSessions(scene.place)).toEqual([]);
  },
  '`docker ps -a --filter status=exited` (orphaned containers)': 'test/doors/sandbox-commands.test.ts',
  '`docker run … node:20-alpine sh -c "npm --version"` (manual test of the sandbox)':
    'test/doors/sandbox-commands.test.ts',
  '`npm run test:unit`, `test:integration`, `test:e2e`': 'names',
  '`/data/memory.db`': async () => {
    await using scene = await createScene();
    await scene.klaus(['run', 'hello there']);
    expect(existsSync(join(scene.place.home, 'klaus.db'))).toBe(true);
  },
  '`.env` beside `docker-compose.yml`': async () => {
    await using scene = await createScene({
      '.env': 'KLAUS_EFFORT=low\n',
      '~/.klaus/.env': 'AGENT_MAX_TOOL_CALLS=7\n',
    });
    expect(await scene.setting('effort')).toMatchObject({ source: 'default' });
    expect(await scene.setting('limits.toolCalls')).toMatchObject({ value: '7' });
  },
  '`.env.example`': 'names',
  '`packages/agent/src/agent/Agent.ts`': 'names',
  '`packages/agent/src/server/AgentServer.ts`': 'names',
  '`packages/agent/src/tools/`': 'names',
  '`packages/agent/src/memory/DatabaseMemory.ts`': 'names',
  '`packages/agent/src/sandbox/DockerSandbox.ts`': 'names',
  '`packages/agent/src/config.ts`': 'names',
  '`packages/ui/src/`': 'names',
  '`ANTHROPIC_API_KEY`': async () => {
    await using scene = await createScene();
    const key = 'sk-0123456789abcdef0123';
    const env = {
      ANTHROPIC_API_KEY: '',
      AGENT_MODEL: '',
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${scene.model.url}/v1`,
    };
    expect(await scene.klaus(['run', 'hello there'], { env })).toMatchObject({ code: 0 });
  },
  '`AGENT_MODEL`': async () => {
    await using scene = await createScene();
    const run = await scene.klaus(['run', 'hello there'], { env: { AGENT_MODEL: 'no-such-model' } });
    expect(run.code).not.toBe(0);
    expect(scene.model.requests).toEqual([]);
    expect(await scene.setting('model', { AGENT_MODEL: '' })).toMatchObject({ value: 'opus', source: 'default' });
    expect(await scene.klaus(['run', 'hello there'], { env: { AGENT_MODEL: 'haiku' } })).toMatchObject({ code: 0 });
  },
  '`AGENT_API_SECRET`': 'test/server/door.test.ts',
  '`AGENT_TOKEN_BUDGET`': 'test/e2e/budget.test.ts',
  '`AGENT_CORS_ORIGIN`': 'test/server/door.test.ts',
  '`AGENT_TRUST_PROXY`': 'test/server/door.test.ts',
  '`AGENT_REQUIRE_PATCH_APPROVAL`': 'test/e2e/review.test.ts',
  '`DOCKER_ENABLED`': async () => {
    await using scene = await createScene();
    expect(await scene.setting('dockerEnabled', { DOCKER_ENABLED: 'false' })).toMatchObject({ value: 'false' });
    // It does not switch the sandbox off: a command is asked to run in bubblewrap.
    const { stdout } = await scene.klaus(['sandbox', 'run', 'id -u; ls /proc | grep -c "^[0-9]"'], {
      env: { DOCKER_ENABLED: 'false', KLAUS_SANDBOX: '' },
    });
    expect(Number(stdout.trim().split('\n').at(-1))).toBeLessThan(10);
  },
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
  '`run_tests`, `npm_run`, `tsc_check`, `eslint_check`, `prettier_format`, `run_node_script`': 'test/e2e/tools.test.ts',
  '`git_status`, `git_diff`, `git_log`, `git_checkpoint`, `git_commit`, `git_branch`': 'test/e2e/tools.test.ts',
  '`memory_get`, `memory_set`': 'test/e2e/tools.test.ts',
  '`npm_install`': 'test/network/install.test.ts',
  '`git_clone`': 'test/network/git-clone.test.ts',
  '`git_push`': async () => {
    await using scene = await createScene();
    const { stdout } = await scene.klaus(['gate', 'test', 'git push origin main', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'ask', rule: 'shell' });
  },
  '`deploy_netlify`, `deploy_vercel`, `deploy_aws_s3`, `terraform_*`, `generate_infrastructure`':
    'test/deploy/netlify.test.ts',
  'Docker daemon not reachable': async () => {
    await using scene = await createScene();
    const env = { KLAUS_SANDBOX: '', DOCKER_HOST: 'unix:///nowhere/docker.sock' };
    expect(await scene.klaus(['sandbox', 'run', 'exit 3'], { env })).toMatchObject({ code: 3 });
  },
  'Path traversal blocked': async () => {
    using outside = createTestHome({ 'note.txt': 'from outside\n' });
    const read = { name: 'read_file', input: { path: join(outside.workspace, 'note.txt') } };
    const steps = [{ when: { turn: 0, tools: true }, reply: { calls: [read] } }];
    const seen: (boolean | undefined)[] = [];
    for (const words of [[], ['--add-dir', outside.workspace]]) {
      using place = createTestHome();
      await using server = await startServer({ steps, fallback: { text: 'Done.' } });
      const { stdout } = await runKlaus(['run', '--json', ...words, 'Read it.'], { place, server });
      seen.push(stdout.includes('from outside'));
    }
    expect(seen).toEqual([false, true]);
  },
  'Token budget exceeded': 'test/e2e/loop.test.ts',
  'ECONNRESET during tool execution': async () => {
    using place = createTestHome();
    const steps = [{ when: { turn: 0, tools: true }, reply: { calls: [{ shell: 'sleep 60' }] } }];
    await using server = await startServer({ steps, fallback: { text: 'Done.' } });
    await runKlaus(['run', 'Wait.'], { place, server, env: { KLAUS_SANDBOX_TIMEOUT_MS: '1000' } });
    const [session] = await listSessions(place);
    const { stdout } = await runKlaus(['show', session!.id], { place });
    expect(stdout).toContain('sandbox.timeoutMs');
  },
  'Slow `npm install` in the sandbox': 'test/e2e/toolchains.test.ts',
};
