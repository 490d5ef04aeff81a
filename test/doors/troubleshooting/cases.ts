import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Script } from '@klaus/sdk';
import { canMount, mountMemory } from '../../fixtures/disk.ts';
import { MAIN, runKlaus, startKlaus, startServer, toEnv } from '../../fixtures/klaus.ts';
import { hasBubblewrap } from '../../fixtures/sandboxed.ts';
import type { Case, Scene } from './case.ts';
import { elsewhere } from './elsewhere.ts';
import { roof, ROOF_SAID_BY } from './roof-cases.ts';

const HELLO: Script = { steps: [{ reply: { text: 'Hello.' } }] };
const HANG: Script = {
  steps: [{ reply: { text: 'never' }, faults: [{ kind: 'hang', after: 0, keepAlive: true, always: true }] }],
};
const hasDocker = spawnSync('docker', ['--version']).status === 0;

function failing(status: number, message?: string): Script {
  return {
    steps: [{ reply: {}, faults: [{ kind: 'status', status, always: true, ...(message ? { message } : {}) }] }],
  };
}

function calling(name: string, input: Record<string, string>): Script {
  return { steps: [{ reply: { calls: [{ name, input }] } }, { reply: { text: 'That was it.' } }] };
}

const writing = calling('write_file', { path: 'new.txt', content: 'new\n' });

/** The user's own settings or policy. */
function write(scene: Scene, name: string, text: string): void {
  mkdirSync(scene.place.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(scene.place.home, name), text);
}

async function begunSession(scene: Scene): Promise<string> {
  const { stdout } = await scene.play(HELLO, '--json', 'say hello');
  return (JSON.parse(stdout.split('\n')[0]!) as { session: string }).session;
}

const models: Case[] = [
  {
    heading: 'No model is set up: …',
    code: 3,
    async provoke(scene) {
      delete scene.env['ANTHROPIC_API_KEY'];
      return scene.klaus('say hello');
    },
    doctor: { name: 'model', status: 'fail', code: 'auth', says: /ANTHROPIC_API_KEY/ },
  },
  {
    heading: '… needs …, which is not set.',
    code: 3,
    async provoke(scene) {
      scene.env['AGENT_MODEL'] = 'openrouter/some/model';
      return scene.klaus('say hello');
    },
    doctor: { name: 'model', status: 'fail', code: 'auth', says: /OPENROUTER_API_KEY/ },
  },
  {
    heading: 'The package … is not installed in ….',
    code: 3,
    async provoke(scene) {
      scene.env['AGENT_MODEL'] = 'ai/mistral/some-model';
      return scene.klaus('say hello');
    },
    doctor: { name: 'model', status: 'fail', code: 'config', says: /@ai-sdk\/mistral/ },
  },
  {
    heading: 'No model is called "…".',
    code: 3,
    async provoke(scene) {
      scene.env['AGENT_MODEL'] = 'no-such-model';
      return scene.klaus('say hello');
    },
    doctor: { name: 'model', status: 'fail', code: 'model.unknown', says: /no-such-model/ },
  },
  {
    heading: 'The configuration does not allow the model ….',
    code: 3,
    async provoke(scene) {
      scene.env['KLAUS_MODELS_ALLOW'] = 'anthropic/claude-haiku*';
      return scene.klaus('say hello');
    },
    doctor: { name: 'model', status: 'fail', code: 'config', says: /\bclaude-/ },
  },
  {
    heading: 'The provider does not accept the key.…',
    code: 3,
    provoke: (scene) => scene.play(failing(401), 'say hello'),
  },
  {
    heading: 'The provider does not permit this request with this key.…',
    code: 3,
    provoke: (scene) => scene.play(failing(403), 'say hello'),
  },
  {
    heading: 'The provider does not have this model, or not for this account.…',
    code: 4,
    provoke: (scene) => scene.play(failing(404, 'model: unheard-of'), 'say hello'),
  },
  {
    heading: 'The account has no credit, or its quota is used up.…',
    code: 4,
    provoke: (scene) => scene.play(failing(402), 'say hello'),
  },
  {
    heading: 'The answer is a page of a firewall or a proxy, not of the model.…',
    code: 4,
    async provoke(scene) {
      const server = createServer((_, response) =>
        response.writeHead(403, { 'content-type': 'text/html' }).end('<title>Blocked</title>'),
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      scene.env['ANTHROPIC_BASE_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return scene.klaus('say hello').finally(() => server.close());
    },
  },
  {
    heading: 'The server does not have this path.…',
    code: 4,
    provoke: (scene) => scene.play(failing(404, 'Not Found'), 'say hello'),
  },
  {
    heading: 'Set … to what the server allows.',
    code: 4,
    provoke: (scene) => scene.play(failing(400, 'max_tokens is too large'), 'say hello'),
  },
  {
    heading: '…, Klaus retries until the model is available again.',
    code: 4,
    provoke: (scene) => scene.play(failing(429), 'say hello'),
  },
  {
    heading: 'The model failed: connect ECONNREFUSED …',
    code: 4,
    async provoke(scene) {
      // A port that was just free.
      await scene.play(failing(500), 'say hello');
      return scene.klaus('say hello');
    },
    doctor: { name: 'model address', status: 'warn', says: /ECONNREFUSED/ },
  },
  {
    heading: 'The model failed: read ECONNRESET',
    code: 4,
    provoke: (scene) =>
      scene.play(
        { steps: [{ reply: { text: 'x' }, faults: [{ kind: 'reset', after: 0, always: true }] }] },
        'say hello',
      ),
  },
  {
    heading: 'The answer is not that of a model.…',
    code: 4,
    provoke: (scene) =>
      scene.play(
        { steps: [{ reply: { text: 'x' }, faults: [{ kind: 'malformed', after: 1, always: true }] }] },
        'say hello',
      ),
  },
  {
    heading: 'Start a new session, or continue with a … that has a larger context window.',
    code: 4,
    provoke: (scene) => scene.play(failing(413), 'say hello'),
  },
  {
    heading: 'No price is known for …, so a budget in dollars cannot be kept.',
    code: 3,
    async provoke(scene) {
      scene.env['OPENAI_BASE_URL'] = 'http://127.0.0.1:9/v1';
      return scene.klaus('--model', 'openai/own-model', '--budget-usd', '1', 'say hello');
    },
  },
];

const sandboxes: Case[] = [
  {
    heading: 'no sandbox works here: …',
    code: 7,
    async provoke(scene) {
      scene.keepOnly('git');
      scene.env['KLAUS_SANDBOX'] = '';
      return scene.klaus('say hello');
    },
    doctor: { name: 'sandbox', status: 'fail', code: 'sandbox.unavailable', says: /\bsandbox\b/ },
  },
  {
    heading: 'the program bwrap is not installed',
    code: 7,
    async provoke(scene) {
      scene.keepOnly('git');
      scene.env['KLAUS_SANDBOX'] = 'bubblewrap';
      return scene.klaus('say hello');
    },
    doctor: { name: 'sandbox bubblewrap', status: 'warn', says: /\bbwrap\b/ },
  },
  {
    heading: 'Cannot connect to the Docker daemon at …',
    code: 7,
    missing: hasDocker ? undefined : 'no docker program',
    async provoke(scene) {
      Object.assign(scene.env, { KLAUS_SANDBOX: 'docker', DOCKER_HOST: `unix://${scene.place.home}/none.sock` });
      return scene.klaus('say hello');
    },
    doctor: { name: 'sandbox docker', status: 'warn', says: /Cannot connect to the Docker daemon/ },
  },
  {
    heading: 'Docker is asked for but DOCKER_ENABLED is false',
    code: 7,
    async provoke(scene) {
      Object.assign(scene.env, { KLAUS_SANDBOX: 'docker', DOCKER_ENABLED: 'false' });
      return scene.klaus('say hello');
    },
    doctor: { name: 'sandbox', status: 'fail', code: 'sandbox.unavailable', says: /\bdocker\b/ },
  },
  {
    heading: 'the sandbox that is configured, …, does not work here',
    code: 7,
    async provoke(scene) {
      Object.assign(scene.env, { KLAUS_SANDBOX: 'docker', DOCKER_ENABLED: 'false' });
      return scene.klaus('doctor');
    },
  },
];

const commands: Case[] = [
  {
    heading: '… time-out, the process tree was stopped',
    code: 0,
    missing: hasBubblewrap ? undefined : 'no bubblewrap',
    async provoke(scene) {
      Object.assign(scene.env, { KLAUS_SANDBOX: 'bubblewrap', KLAUS_SANDBOX_TIMEOUT_MS: '500' });
      return scene.play(calling('run_command', { command: 'echo begun; sleep 1000' }), 'run', 'wait');
    },
  },
  {
    heading: 'Denied: this needs an approval (packages: …',
    code: 6,
    provoke: (scene) => scene.play(calling('run_command', { command: 'npm install' }), 'run', 'install'),
  },
  {
    heading: 'Denied: this needs an approval (network: …',
    code: 6,
    provoke: (scene) => scene.play(calling('run_command', { command: 'curl http://example.com' }), 'run', 'fetch'),
  },
  {
    heading: 'No user could answer the approval.…',
    code: 6,
    provoke: (scene) => scene.play(writing, '--approve', 'ask', 'write'),
  },
  {
    heading: 'Waiting for approval: …',
    code: 8,
    provoke: (scene) => scene.play(writing, '--approve', 'ask', '--on-ask', 'wait', 'write'),
    doctor: { name: 'sessions', status: 'warn', says: /\b1 waiting\b/ },
  },
  {
    heading: 'Denied (mode): mode plan is read only.',
    code: 6,
    provoke: (scene) => scene.play(writing, '--approve', 'plan', 'write'),
  },
];

const files: Case[] = [
  {
    heading: '… is outside the workspace.…',
    code: 6,
    provoke: (scene) => scene.play(calling('read_file', { path: '../elsewhere' }), 'run', 'read'),
  },
  { heading: 'There is no folder ….', code: 2, provoke: (scene) => scene.klaus('--cwd', '/no/such/folder', 'go') },
  {
    heading: 'The workspace … does not exist.',
    code: 2,
    async provoke(scene) {
      scene.env['AGENT_WORKSPACE'] = '/no/such/folder';
      return scene.klaus('say hello');
    },
    doctor: { name: 'workspace', status: 'fail', code: 'workspace.missing', says: /\/no\/such\/folder\b/ },
  },
  {
    heading: 'The workspace would be the root folder (/).',
    code: 2,
    async provoke(scene) {
      scene.cwd = '/';
      return scene.klaus('say hello');
    },
    doctor: { name: 'workspace', status: 'warn', says: /\(\/\)/ },
  },
  {
    heading: 'The current folder does not exist any more.',
    code: 2,
    async provoke({ place, env }) {
      const gone = join(place.workspace, 'gone');
      mkdirSync(gone);
      const { status, signal, stdout, stderr } = spawnSync(
        'sh',
        ['-c', 'rmdir "$PWD" && exec "$0" "$@"', process.execPath, MAIN, 'sessions'],
        { cwd: gone, env: toEnv({ place, env }), encoding: 'utf8' },
      );
      return { code: status, signal, stdout, stderr };
    },
  },
];

const settings: Case[] = [
  {
    heading: '…: there is no setting "…"',
    code: 3,
    async provoke(scene) {
      write(scene, 'config.yaml', 'modle: opus\n');
      return scene.klaus('say hello');
    },
    doctor: { name: 'configuration', status: 'fail', says: /config\.yaml:1/ },
  },
  {
    heading: '…: … is not allowed (…)',
    code: 3,
    async provoke(scene) {
      scene.env['KLAUS_MAX_TURNS'] = 'many';
      return scene.klaus('say hello');
    },
    doctor: { name: 'configuration', status: 'fail', says: /KLAUS_MAX_TURNS/ },
  },
  {
    heading: '…: this is not valid YAML (…)',
    code: 3,
    async provoke(scene) {
      write(scene, 'config.yaml', 'model: [\n');
      return scene.klaus('say hello');
    },
    doctor: { name: 'configuration', status: 'fail', code: 'config', says: /config\.yaml:\d+:\d+/ },
  },
  {
    heading: '…: a project file may not set …',
    code: 3,
    async provoke(scene) {
      mkdirSync(join(scene.place.workspace, '.klaus'));
      writeFileSync(join(scene.place.workspace, '.klaus/config.yaml'), 'sandbox: { driver: host }\n');
      scene.env['KLAUS_SANDBOX'] = '';
      return scene.klaus('say hello');
    },
    doctor: { name: 'configuration', status: 'fail', code: 'config', says: /sandbox\.driver/ },
  },
  {
    heading: '…: there is no key "…" here',
    code: 3,
    async provoke(scene) {
      write(scene, 'policy.yaml', 'rulez: []\n');
      return scene.play(HELLO, 'say hello');
    },
    doctor: { name: 'policy', status: 'fail', says: /policy\.yaml:1/ },
  },
];

const sessions: Case[] = [
  {
    heading: 'Limit reached: …',
    code: 5,
    provoke: (scene) => scene.play(HELLO, '--budget-tokens', '10', 'say hello'),
  },
  {
    heading: 'The prompt has … characters; … are allowed.',
    code: 2,
    async provoke(scene) {
      scene.env['AGENT_MAX_PROMPT_CHARS'] = '5';
      return scene.klaus('say hello');
    },
  },
  {
    heading: 'Another process is working on session ….',
    code: 9,
    async provoke({ place, env }) {
      await using server = await startServer(HANG);
      const holder = startKlaus(['--json', 'wait for it'], { place, server, env });
      await holder.printed('stdout', '"turn.started"');
      const { session } = JSON.parse(holder.text.stdout.split('\n')[0]!) as { session: string };
      const ended = await runKlaus(['resume', session], { place, server, env });
      // Killed, so that doctor finds an interrupted session.
      holder.kill('SIGKILL');
      await holder.ended;
      return ended;
    },
    doctor: { name: 'sessions', status: 'warn', says: /\b0 .* 1 interrupted\b/ },
  },
  { heading: 'There is no session ….', code: 2, provoke: (scene) => scene.klaus('show', '01ABC') },
  {
    heading: 'There is no agent ….',
    code: 2,
    provoke: (scene) => scene.klaus('run', '--agent', 'reviwer', 'review it'),
  },
  { heading: 'There is no session of … yet.', code: 2, provoke: (scene) => scene.klaus('--continue', 'continue') },
  { heading: 'There is no command …', code: 2, provoke: (scene) => scene.klaus('sesions') },
  {
    heading: 'There is no prompt.',
    code: 2,
    provoke: ({ place, env }) => runKlaus([], { place, env, stdin: '' }),
  },
];

const state: Case[] = [
  {
    heading: 'Klaus cannot keep its state in …',
    code: 3,
    async provoke(scene) {
      writeFileSync(join(scene.place.workspace, 'file'), '');
      scene.env['KLAUS_HOME'] = join(scene.place.workspace, 'file/below');
      return scene.klaus('say hello');
    },
    doctor: { name: 'home', status: 'fail', code: 'config', says: /\/file\b/ },
  },
  {
    heading: 'Nothing more can be written to …',
    code: 1,
    missing: canMount ? undefined : 'mounts need root',
    async provoke(scene) {
      const disk = mountMemory(scene.place.home, '1m');
      FULL.set(scene, disk);
      disk.fill();
      return scene.play(HELLO, 'say hello');
    },
    doctor: { name: 'disk space', status: 'fail', says: /^0 MiB free/ },
  },
  {
    heading: '… is damaged: …',
    code: 1,
    async provoke(scene) {
      write(scene, 'klaus.db', 'this is no database, and long enough to be sure of that'.repeat(200));
      return scene.klaus('sessions');
    },
    doctor: { name: 'database', status: 'fail', code: 'store.corrupt', says: /klaus\.db\b/ },
  },
  {
    heading: '… is …, not a file.',
    code: 3,
    provoke(scene) {
      mkdirSync(join(scene.place.home, 'klaus.db'), { recursive: true });
      return scene.klaus('sessions');
    },
    doctor: { name: 'database', status: 'fail', code: 'config', says: /klaus\.db\b/ },
  },
  {
    heading: '… was written by a newer Klaus: …',
    code: 1,
    async provoke(scene) {
      await begunSession(scene);
      const database = new DatabaseSync(join(scene.place.home, 'klaus.db'));
      database.exec("INSERT INTO migrations (name, applied_at) VALUES ('m999-future', '')");
      database.close();
      return scene.klaus('sessions');
    },
    doctor: { name: 'database', status: 'fail', code: 'store.corrupt', says: /m999-future/ },
  },
  {
    heading: 'Standard output could not be written: …',
    code: 1,
    async provoke(scene) {
      await begunSession(scene);
      const { status, signal, stderr } = spawnSync(process.execPath, [MAIN, 'sessions'], {
        env: toEnv(scene),
        stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
        encoding: 'utf8',
      });
      return { code: status, signal, stdout: '', stderr };
    },
  },
];

const FULL = new WeakMap<Scene, Disposable>();

/** Releases the resources of a case. */
export function tidyUp(scene: Scene): void {
  FULL.get(scene)?.[Symbol.dispose]();
}

const server: Case[] = [
  {
    heading: 'Port … is in use.',
    code: 2,
    async provoke(scene) {
      await using taken = await startServer(HELLO);
      return await scene.klaus('serve', '--port', new URL(taken.url).port);
    },
  },
  {
    heading: 'A cluster needs settings that are not set: …',
    code: 3,
    async provoke(scene) {
      return scene.klaus('worker');
    },
  },
  {
    heading: 'klaus serve runs already for this state folder.',
    code: 9,
    async provoke({ place, env }) {
      const first = startKlaus(['serve', '--port', '0', '--json'], { place, env });
      await first.printed('stdout', '"pid"');
      const second = await runKlaus(['serve', '--port', '0'], { place, env });
      first.kill('SIGTERM');
      await first.ended;
      return second;
    },
  },
  {
    heading: '… can be reached from other machines, and no secret is set.',
    code: 3,
    provoke: (scene) => scene.klaus('serve', '--host', '0.0.0.0', '--port', '0'),
  },
  ...elsewhere,
  {
    heading: 'The scripted model server cannot listen: …',
    code: 3,
    async provoke(scene) {
      await using taken = await startServer(HELLO);
      const script = join(import.meta.dirname, '../../../apps/cli/demo/script.yaml');
      return await scene.klaus('model-server', '--script', script, '--port', new URL(taken.url).port);
    },
  },
];

/** Headings that the tests provoke. */
export const CASES: readonly Case[] = [
  ...models,
  ...sandboxes,
  ...commands,
  ...files,
  ...settings,
  ...sessions,
  ...state,
  ...roof,
  ...server,
];

/** Headings whose cause cannot be provoked here (files of another user, a Docker engine, another Node): the source of the message. */
export const SAID_BY: Readonly<Record<string, readonly [file: string, words: string]>> = {
  ...ROOF_SAID_BY,
  '… or its folder was moved or deleted while Klaus used it.': [
    'adapters/store/sqlite/store-error.ts',
    'or its folder was moved or deleted while Klaus used it.',
  ],
  'The certificate of … is not accepted: …': ['apps/cli/client/http/server-error.ts', ' is not accepted: '],
  'The connection to … was lost; reconnecting. The run continues on the server.': [
    'apps/cli/client/http/session-stream.ts',
    ' was lost; reconnecting. The run continues on the server.',
  ],
  'the image … is not on this machine': ['adapters/sandboxes/docker/find-docker.ts', ' is not on this machine'],
  '… is in this container only, so that the Docker engine cannot show it to commands.': [
    'adapters/sandboxes/docker/engine-paths.ts',
    ' is in this container only, so that the Docker engine cannot show it to commands.',
  ],
  'limit reached: memory: …': [
    'adapters/sandboxes/cgroup/resource-group.ts',
    '`memory: a process was ended at the limit of ',
  ],
  'The files could not be written (permission denied); nothing was changed.': [
    'adapters/workspace/apply.ts',
    'The files could not be written (${words}); nothing was changed.',
  ],
  '… cannot be read: EACCES': ['sdk/config/file-text.ts', ' cannot be read: ${code}'],
  'The token is missing or wrong.': ['apps/server/access/request-guard.ts', 'The token is missing or wrong.'],
  'The server may not work in ….': ['apps/server/access/allowed-workspaces.ts', 'The server may not work in '],
  'The server begins no session in ….': [
    'apps/server/access/allowed-workspaces.ts',
    'The server begins no session in ',
  ],
  'The host … is not served here.': ['apps/server/access/request-guard.ts', ' is not served here.'],
  'klaus: this is Node …, and Klaus runs on Node … or newer.': ['scripts/stub.cjs', ', and Klaus runs on Node '],
  'npm ci failed in …': ['scripts/setup.sh', 'npm ci failed in '],
};
