import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { CoreV1Event, V1NetworkPolicy, V1Pod, V1RuntimeClass, V1Status } from '@kubernetes/client-node';
import { WebSocketServer, type WebSocket } from 'ws';
import { CONTAINER } from './pod-plan.ts';

/** The client declares classes for objects that are only data. */
type PodObject = Pick<V1Pod, keyof V1Pod>;

/** What the server has and does. Tests change it. */
export interface ApiState {
  pods: Map<string, PodObject>;
  events: CoreV1Event[];
  policies: V1NetworkPolicy[];
  classes: V1RuntimeClass[];
  /** `verb resource` of what is forbidden. */
  forbidden: Set<string>;
  /** The status of a new pod; default running. */
  status: (pod: PodObject) => V1Pod['status'];
  /** Names of the pods that were created, and the requests as `METHOD path`. */
  created: string[];
  requests: string[];
  /** Ended processes that the kernel ended for their memory, as the main process reports them. */
  oom: number;
  /** Processes that a command leaves, as the main process reports them. */
  left: number;
}

export interface ApiServer extends AsyncDisposable {
  state: ApiState;
  /** A file for `KUBECONFIG`. */
  writeConfig(file: string): void;
  /** Ends all open connections. */
  drop(): Promise<void>;
  /** Ends all connections, and answers no more. */
  stop(): Promise<void>;
}

export const DENY_ALL: V1NetworkPolicy = {
  metadata: { name: 'klaus-sandbox' },
  spec: {
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'klaus-sandbox' } },
    policyTypes: ['Ingress', 'Egress'],
  },
};

const running = { phase: 'Running', containerStatuses: [{ name: CONTAINER, state: { running: {} } }] };

/**
 * An API server with the requests that the sandbox makes, over HTTP and WebSocket. The main process of a pod is part of
 * the server; a command runs as a process group of this machine, without the script that ends the processes of its pod.
 */
export async function startApiServer(): Promise<ApiServer> {
  const state: ApiState = {
    ...{ pods: new Map(), events: [], policies: [DENY_ALL], classes: [], forbidden: new Set() },
    ...{ status: () => running as V1Pod['status'], created: [], requests: [], oom: 0, left: 0 },
  };
  const groups = new Map<string, ChildProcess>();
  const server = createServer((request, response) => void answer({ request, response, state, groups }));
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'v5.channel.k8s.io' });
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://server');
    const [, name = '', action = ''] = /pods\/([^/]+)\/(\w+)$/.exec(pathname) ?? [];
    state.requests.push(`UPGRADE ${action}`);
    if (state.forbidden.has(`get pods/${action}`)) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (opened) => {
      if (action === 'attach') hold(opened, { name, state, groups });
      else run(opened, { name, groups, isCommand: searchParams.getAll('command').length > 0 });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    for (const each of sockets.clients) each.terminate();
    for (const child of groups.values()) killGroup(child);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const drop = async () => {
    const open = [...sockets.clients];
    const closed = open.map((each) => once(each, 'close'));
    for (const each of open) each.terminate();
    await Promise.all(closed);
  };
  return {
    ...{ state, stop, drop },
    writeConfig: (file) => writeFileSync(file, JSON.stringify(toConfig(`http://127.0.0.1:${port}`))),
    [Symbol.asyncDispose]: stop,
  };
}

function toConfig(server: string) {
  return {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'sandboxes' } }],
  };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  state: ApiState;
  groups: Map<string, ChildProcess>;
}

async function answer({ request, response, state, groups }: Exchange): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, 'http://server');
  const [, resource = '', name = ''] = /\/(?:namespaces\/sandboxes\/)?([a-z]+)(?:\/([\w-]+))?$/.exec(pathname) ?? [];
  const method = request.method ?? '';
  state.requests.push(`${method} ${resource}`);
  const send = (code: number, body: object) => {
    response.writeHead(code, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const fail = (code: number, message: string) => send(code, { kind: 'Status', status: 'Failure', code, message });
  const verb = { POST: 'create', DELETE: 'delete' }[method] ?? (name === '' ? 'list' : 'get');
  if (state.forbidden.has(`${verb} ${resource}`)) return fail(403, `${resource} is forbidden: no ${verb}`);
  const body = method === 'POST' ? (JSON.parse(await text(request)) as PodObject) : {};
  if (resource === 'version') return send(200, { major: '1', minor: '35', gitVersion: 'v1.35.0' });
  if (resource === 'selfsubjectaccessreviews') {
    const { verb: asked, resource: of, subresource } = (body.spec as unknown as Review).resourceAttributes;
    const allowed = !state.forbidden.has(`${asked} ${subresource === undefined ? of : `${of}/${subresource}`}`);
    return send(201, { ...body, status: { allowed } });
  }
  if (resource === 'networkpolicies') return send(200, { items: state.policies });
  if (resource === 'runtimeclasses') return send(200, { items: state.classes });
  if (resource === 'events') return send(200, { items: state.events });
  if (resource !== 'pods') return fail(404, 'there is no such resource');
  if (method === 'POST') {
    if (searchParams.get('dryRun') !== 'All') {
      state.created.push(body.metadata!.name!);
      state.pods.set(body.metadata!.name!, { ...body, status: state.status(body)! });
    }
    return send(201, body);
  }
  if (name === '') return send(200, { items: [...state.pods.values()] });
  const pod = state.pods.get(name);
  if (!pod) return fail(404, `pods "${name}" not found`);
  if (method === 'DELETE') {
    state.pods.delete(name);
    killGroup(groups.get(name));
  }
  send(200, pod);
}

interface Review {
  resourceAttributes: { verb: string; resource: string; subresource?: string };
}

interface PodContext {
  name: string;
  state: ApiState;
  groups: Map<string, ChildProcess>;
}

/** The main process of a pod. */
function hold(socket: WebSocket, { name, state, groups }: PodContext): void {
  socket.on('message', (data: Buffer) => {
    for (const line of data.toString('latin1', 1).split('\n')) {
      const [question, word] = line.split(' ');
      if (word === undefined) continue;
      const child = groups.get(name);
      if (child && word === 'term') killGroup(child, 'SIGTERM');
      if (child && word === 'kill') killGroup(child);
      const isBusy = child && child.exitCode === null && child.signalCode === null;
      const processes = 1 + state.left + (isBusy ? 1 : 0);
      socket.send(Buffer.concat([Buffer.from([1]), Buffer.from(`${question} ${processes} 10 0 ${state.oom}\n`)]));
    }
  });
  // As with `stdinOnce`: the pod ends with the connection.
  socket.once('close', () => {
    killGroup(groups.get(name));
    const pod = state.pods.get(name);
    if (pod?.status?.phase === 'Running') state.pods.set(name, { ...pod, status: { phase: 'Succeeded' } });
  });
}

/** A command: its script follows a line `go` and a line with the number of its lines. */
function run(socket: WebSocket, { name, groups, isCommand }: Omit<PodContext, 'state'> & { isCommand: boolean }): void {
  let head = '';
  let child: ChildProcess | undefined;
  socket.on('message', (data: Buffer) => {
    if (data[0] === 255) return void child?.stdin?.end();
    if (child) return void child.stdin?.write(data.subarray(1));
    head += data.toString('utf8', 1);
    const [, count, rest = ''] = /^go\n(\d+)\n([^]*)$/.exec(head) ?? [];
    const lines = rest.split('\n');
    if (!isCommand || count === undefined || lines.length <= Number(count)) return;
    child = spawn('/bin/sh', ['-c', lines.slice(0, Number(count)).join('\n')], { detached: true, stdio: 'pipe' });
    groups.set(name, child);
    child.stdin!.on('error', () => undefined);
    child.stdin!.write(lines.slice(Number(count)).join('\n'));
    for (const [stream, output] of [[1, child.stdout!] as const, [2, child.stderr!] as const])
      output.on('data', (chunk: Buffer) => socket.send(Buffer.concat([Buffer.from([stream]), chunk])));
    child.once('close', (code, signal) => {
      groups.delete(name);
      const exit = code ?? 128 + (signal === 'SIGTERM' ? 15 : 9);
      socket.send(Buffer.concat([Buffer.from([3]), Buffer.from(JSON.stringify(toStatus(exit)))]), () => socket.close());
    });
  });
}

function toStatus(code: number): V1Status {
  if (code === 0) return { status: 'Success' };
  const causes = [{ reason: 'ExitCode', message: String(code) }];
  return { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } };
}

function killGroup(child: ChildProcess | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}
