import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { pollUntil } from '../fixtures/poll.ts';
import { rawRequest, startTestServer, type TestServer } from '../fixtures/server.ts';
import type { AddressCase, Role } from './private-address-cases.ts';

const GROUPS = { admin: 'admins', operator: 'team', viewer: 'readers' };
const OWN = ['file-operations', 'code-execution'];
/** What the header of a forged sign-in names. */
const FORGED = 'mallory';

/** Sends a request through the proxy of the sandbox as it is written, opens a tunnel, and connects without the proxy. */
const ASK = `proxy=\${HTTP_PROXY#http://}; proxy=\${proxy%/}
at() { (exec 5<>"/dev/tcp/$1/$2" && printf "$3" >&5 && timeout 4 head -c 900 <&5) 2>/dev/null; }
get="GET $3 HTTP/1.1\\r\\nHost: $1:$2\\r\\nx-forwarded-user: ${FORGED}\\r\\nx-forwarded-groups: admins\\r\\nConnection: close\\r\\n\\r\\n"
{
  at "\${proxy%%:*}" "\${proxy##*:}" "GET http://$1:$2$3\${get#GET $3}"
  at "\${proxy%%:*}" "\${proxy##*:}" "CONNECT $1:$2 HTTP/1.1\\r\\nHost: $1:$2\\r\\n\\r\\n$get"
  at "$1" "$2" "$get"
  curl -sgL -m 4 -H 'x-forwarded-user: ${FORGED}' -H 'x-forwarded-groups: admins' "http://$1:$2$3"
} > "out-$4" 2>&1
true
`;

/** The result of a case. */
export interface Outcome {
  /** Something at an address of this machine was reached. */
  isReached: boolean;
  /** Something was tried: the command ran, a clone began. */
  isTried: boolean;
  /** Status of the answers on the way, the first ones first. */
  statuses: number[];
}

/** A server that signs in by a proxy on loopback, a listener that counts requests, and one that redirects. */
export interface Scene extends AsyncDisposable {
  play: (each: AddressCase) => Promise<Outcome>;
}

export async function openScene(): Promise<Scene> {
  const asked = new Set<string>();
  const witness = createHttpServer((request, response) => {
    asked.add(request.url ?? '');
    response.end('reached');
  });
  const redirector = createHttpServer((request, response) => {
    response.writeHead(302, { location: decodeURIComponent((request.url ?? '').slice(1)) }).end();
  });
  for (const server of [witness, redirector]) await once(server.listen(0, '0.0.0.0'), 'listening');
  const it = await startTestServer({
    env: {
      KLAUS_SERVER_SIGN_IN: 'proxy',
      AGENT_TRUST_PROXY: 'loopback',
      KLAUS_SERVER_ROLES: 'admins=admin,team=operator,readers=viewer',
      KLAUS_SERVER_PRIVATE_HOSTS: `127.0.0.1:${portOf(redirector)}`,
      KLAUS_SANDBOX: 'bubblewrap',
    },
    files: { 'ask.sh': ASK },
    script: {
      steps: [
        { when: { after: 'spawn_agent' }, reply: { calls: [{ name: 'wait_agents', input: {} }] } },
        { when: { after: 'run_command' }, reply: { text: 'Done.' } },
        { when: { after: 'web_fetch' }, reply: { text: 'Done.' } },
        { when: { after: 'wait_agents' }, reply: { text: 'Done.' } },
        {
          when: { user: '^do ' },
          reply: {
            calls: [{ name: 'run_command', input: { command: "{{user | match '^do (.*)'}}", network: true } }],
          },
        },
        {
          when: { user: '^fetch ' },
          reply: { calls: [{ name: 'web_fetch', input: { url: "{{user | match '^fetch (.*)'}}" } }] },
        },
        {
          when: { user: '^spawn ' },
          reply: {
            calls: [
              {
                name: 'spawn_agent',
                input: { agent: "{{user | match '^spawn (\\S+)'}}", task: "{{user | match '^spawn \\S+ (.*)'}}" },
              },
            ],
          },
        },
      ] as never,
      fallback: { text: 'Done.' },
    },
  });
  return {
    play: (each) => play({ it, witness, redirector, asked }, each),
    async [Symbol.asyncDispose]() {
      await it[Symbol.asyncDispose]();
      for (const server of [witness, redirector]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

type Parts = { it: TestServer; asked: ReadonlySet<string> } & Record<'witness' | 'redirector', Server>;

function portOf(server: Pick<Server, 'address'>): number {
  return (server.address() as AddressInfo).port;
}

function toHeaders(role: Role): Record<string, string> {
  return { 'x-forwarded-user': role, 'x-forwarded-groups': GROUPS[role], 'content-type': 'application/json' };
}

async function send({ server }: TestServer, role: Role, [method, path, body]: [string, string, object?]) {
  const answer = await rawRequest(server, {
    ...{ method, path, headers: toHeaders(role) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, body: JSON.parse(answer.body) as Record<string, unknown> };
}

async function play(parts: Parts, each: AddressCase): Promise<Outcome> {
  const { it, witness, redirector, asked } = parts;
  if (each.door.startsWith('clone')) return await playClone(parts, each);
  const port = each.listener === 'server' ? new URL(it.server.url).port : String(portOf(witness));
  const path = each.listener === 'server' ? '/api/sign-in' : `/case-${each.index}`;
  const target = `http://${each.host}:${port}${path}`;
  const words =
    each.door === 'redirect'
      ? `127.0.0.1 ${portOf(redirector)} /${encodeURIComponent(target)}`
      : `'${each.host}' ${port} ${path}`;
  const command = `do bash ask.sh ${words} ${each.index}`;
  const statuses = await openAndRun(parts, each, { port, command, target });
  const file = join(it.place.workspace, `out-${each.index}`);
  const output = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const isReached = asked.has(path) || output.includes(FORGED);
  return { isReached, isTried: existsSync(file), statuses };
}

/** Opens a session by the door of the case, and runs the command in it. */
async function openAndRun(
  { it, redirector }: Parts,
  { door, role, host, index }: AddressCase,
  { port, command, target }: { port: string; command: string; target: string },
): Promise<number[]> {
  const bare = host.replace(/^\[|\]$/g, '');
  const named = `net(${bare}, ${port})`;
  const begin = (body: object, text = command) =>
    run(it, role, ['POST', '/api/sessions', { mode: 'auto', onAsk: 'wait', text, ...body }]);
  switch (door) {
    case 'grant':
      return await begin({ grant: [...OWN, named] });
    case 'any port':
      return await begin({ grant: [...OWN, `net(${bare}, 0)`] });
    case 'delegable':
      return await begin({ grant: [...OWN, `net(*, 0) delegable: ${named}`] });
    case 'allowNet':
      return await begin({ allowNet: [`${host}:${port}`] });
    case 'every host':
      return await begin({ grant: [...OWN, 'net(*, 0)'] });
    case 'redirect':
      return await begin({
        allowNet: [`127.0.0.1:${portOf(redirector)}`, ...(role === 'admin' ? [`${host}:${port}`] : [])],
      });
    case 'web fetch':
      return await begin({ grant: ['web-access', role === 'admin' ? named : 'net(*, 0)'] }, `fetch ${target}`);
    case 'shell': {
      const opened = await send(it, role, ['POST', '/api/sessions', { mode: 'auto', grant: [...OWN, 'net(*, 0)'] }]);
      if (opened.status >= 400) return [opened.status];
      const path = `/api/sessions/${String(opened.body['session'])}/shell`;
      return await run(it, role, ['POST', path, { command: command.replace(/^do /, ''), onAsk: 'wait' }]);
    }
    case 'agent':
      writeAgent(join(it.place.home, 'agents'), index, named);
      return await begin({ agent: `case-${index}` });
    case 'project agent':
      writeAgent(join(it.place.workspace, '.klaus/agents'), index, named);
      return await begin({ agent: `project/case-${index}` });
    case 'child': {
      writeAgent(join(it.place.home, 'agents'), index, named);
      const all = 'fs(., rw) exec(*) tool(*) net(*, 0)';
      return await begin({ grant: [`${all} spawn(2, 6) delegable: ${all}`] }, `spawn case-${index} ${command}`);
    }
    case 'prompt':
      return await begin({});
    case 'chat':
      return await chat(it, role, command);
    default:
      return await useSessionOfAdmin(it, { door, role, allowNet: [`${host}:${port}`], command });
  }
}

function writeAgent(folder: string, index: number, grants: string): void {
  mkdirSync(folder, { recursive: true });
  const text = `---\nname: case-${index}\ndescription: Asks.\ncapabilities: [file-operations, code-execution]\ngrants: ${grants}\n---\n\nYou ask.\n`;
  writeFileSync(join(folder, `case-${index}.md`), text);
}

async function useSessionOfAdmin(
  it: TestServer,
  { door, role, allowNet, command }: Pick<AddressCase, 'door' | 'role'> & { allowNet: string[]; command: string },
): Promise<number[]> {
  const body = door === 'approval of an admin' ? { text: command, onAsk: 'wait' } : { mode: 'auto', allowNet };
  const opened = await send(it, 'admin', ['POST', '/api/sessions', body]);
  if (opened.status >= 400) return [opened.status];
  const session = String(opened.body['session']);
  if (door === 'approval of an admin') return [opened.status, ...(await untilEnd(it, role, session))];
  const way = door === 'fork of an admin' ? 'fork' : 'prompt';
  return await run(it, role, ['POST', `/api/sessions/${session}/${way}`, { text: command, onAsk: 'wait' }]);
}

async function run(it: TestServer, role: Role, request: [string, string, object]): Promise<number[]> {
  const { status, body } = await send(it, role, request);
  return status >= 400 ? [status] : [status, ...(await untilEnd(it, role, String(body['session'])))];
}

/** Approves what a session asks, until its run ends or an answer is refused. Returns the status of each answer. */
async function untilEnd(it: TestServer, role: Role, session: string): Promise<number[]> {
  const statuses: number[] = [];
  await pollUntil(async () => {
    if ((await it.klaus.store.eventsOf(session, ['run.finished'])).length > 0) return true;
    const { body } = await send(it, 'admin', ['GET', '/api/approvals']);
    const all = body['approvals'] as { id: string; session: string; chain?: { session: string }[] }[];
    const own = all.find((each) => [each, ...(each.chain ?? [])].some((one) => one.session === session));
    if (!own) return false;
    statuses.push((await send(it, role, ['POST', `/api/approvals/${own.id}`, { answer: 'approved' }])).status);
    return statuses.at(-1)! >= 400;
  });
  return statuses;
}

async function chat(it: TestServer, role: Role, text: string): Promise<number[]> {
  const socket = new WebSocket(`${it.server.url.replace('http', 'ws')}/ws/chat/klaus?session=new`, {
    headers: toHeaders(role),
  });
  try {
    const status = await new Promise<number>((resolve) => {
      socket.on('error', () => {});
      socket.on('open', () => resolve(101));
      socket.on('unexpected-response', (_, { statusCode = 0 }) => resolve(statusCode));
      socket.on('close', () => resolve(0));
    });
    if (status !== 101) return [status];
    const before = new Set((await it.klaus.store.sessions({ limit: 500 })).map(({ id }) => id));
    socket.send(JSON.stringify({ type: 'message', content: text }));
    const closed = once(socket, 'close').then(() => null);
    const isOwn = async (id: string): Promise<boolean> =>
      JSON.stringify(await it.klaus.store.eventsOf(id, ['message.added'])).includes(JSON.stringify(text).slice(1, -1));
    const opened = pollUntil(async () => {
      for (const { id } of await it.klaus.store.sessions({ limit: 500 }))
        if (!before.has(id) && (await isOwn(id))) return id;
      return undefined;
    });
    const session = await Promise.race([opened, closed]);
    return session === null ? [status] : [status, ...(await untilEnd(it, role, session))];
  } finally {
    socket.close();
  }
}

/** Starts a clone with a listener of its own, and waits for its end. */
async function playClone({ it }: Parts, { door, role, host, listener, index }: AddressCase): Promise<Outcome> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.end();
  });
  await once(server.listen(0, '0.0.0.0'), 'listening');
  try {
    const port = listener === 'server' ? Number(new URL(it.server.url).port) : portOf(server);
    const url = toCloneUrl(it, { door, index, at: `${host}:${port}`, host });
    const body = { url, parent: it.place.workspace, name: `clone-${index}` };
    const started = await send(it, role, ['POST', '/api/clones', body]);
    if (started.status >= 400) return { isReached: connections > 0, isTried: false, statuses: [started.status] };
    const ended = await pollUntil(async () => {
      const view = await send(it, 'admin', ['GET', `/api/clones/${String(started.body['id'])}`]);
      return view.body['state'] !== 'running' && view;
    });
    const text = JSON.stringify(ended.body['problem'] ?? {});
    // Another text for an open port than for a closed one would distinguish them.
    const isDistinct = /refused|SSL|TLS|reset|timed out|closed by/i.test(text);
    return { isReached: connections > 0 || isDistinct, isTried: true, statuses: [started.status] };
  } finally {
    server.close();
  }
}

function toCloneUrl(
  { place }: TestServer,
  { door, index, at, host }: { door: AddressCase['door']; index: number; at: string; host: string },
): string {
  if (door === 'clone https') return `https://${at}/a.git`;
  if (door === 'clone ssh') return `ssh://git@${at}/a.git`;
  if (door === 'clone scp') return `git@${host}:a.git`;
  const folder = join(place.workspace, `source-${index}`);
  const git = (...words: string[]): void => void execFileSync('git', words, { cwd: folder, env: place.env });
  mkdirSync(folder);
  git('init', '-q');
  const url = `http://${at}/a.git`;
  if (door === 'clone submodule') {
    writeFileSync(join(folder, '.gitmodules'), `[submodule "a"]\n\tpath = a\n\turl = ${url}\n`);
    git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},a`);
  } else if (door === 'clone alternates') {
    writeFileSync(join(folder, '.git/objects/info/http-alternates'), `${url}/objects\n`);
  } else {
    const included = join(folder, '.git/other');
    writeFileSync(included, `[url "${url}"]\n\tinsteadOf = ${folder}\n[core]\n\tsshCommand = curl ${url}\n`);
    git('config', 'include.path', included);
  }
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'a');
  return folder;
}
