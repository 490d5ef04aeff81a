import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Script, StartedModelServer } from '@klaus/sdk';
import { MAIN, startKlaus, startServer, toEnv, type RunningKlaus } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

/** What a tool of the server answers. */
export interface Answer {
  ok: boolean;
  stage?: string;
  code?: string;
  message: string;
  checks?: { command: string; passed: boolean; exitCode: number | null; summary: string }[];
  findings?: { file: string; line: number; severity: string; text: string }[];
  commit?: string;
  tree?: string;
  files?: string[];
  session?: string;
}

export interface Scene extends AsyncDisposable {
  readonly place: TestHome;
  readonly model: StartedModelServer;
  readonly client: Client;
  /** SIGKILL to the server on standard input and output. */
  kill(): void;
  /** Starts another server on the same place. */
  reconnect(): Promise<void>;
  call(name: string, input?: Record<string, unknown>, options?: CallOptions): Promise<Answer & { isError: boolean }>;
  git(...args: string[]): string;
  write(path: string, text: string): void;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (message: string) => void;
}

export interface SceneOptions {
  files?: Readonly<Record<string, string>>;
  script?: Script;
  env?: Readonly<Record<string, string>>;
  /** `modern` pins 2026-07-28, `legacy` the handshake of 2025-11-25. Default `modern`. */
  era?: 'modern' | 'legacy';
  transport?: 'stdio' | 'http';
  /** Without one there is no key. Default true. */
  hasKey?: boolean;
  words?: readonly string[];
  /** Changes the place before the server starts. */
  prepare?: (place: TestHome) => void;
}

/** A project whose `make check` fails while the file `broken` exists. */
export const PROJECT = {
  'README.md': '# Test\n',
  'sum.js': 'export const sum = (a, b) => a + b;\n',
  Makefile: 'check:\n\t@if [ -e broken ]; then echo "sum.js:1: error: broken" >&2; exit 1; fi; echo checked\n',
};

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];

/** A reviewer with this verdict, and a message for the commit. */
export function reviewed(verdict: object = { verdict: 'confirm', summary: 'It is fine.', findings: [] }): Script {
  return {
    steps: [
      { when: { user: 'Write the message of a commit' }, reply: { text: '{"message": "Change the sum"}' } },
      { when: { user: 'Review a change' }, reply: { text: JSON.stringify(verdict) } },
    ],
    fallback: { text: 'A title' },
  };
}

/** Git in the repository of a place. */
export function runGit({ workspace, env }: TestHome, ...args: string[]): string {
  return execFileSync('git', [...IDENTITY, ...args], { cwd: workspace, env, encoding: 'utf8' }).trim();
}

/** The real program, the official client, a real repository, and the scripted model server. */
export async function createScene(options: SceneOptions = {}): Promise<Scene> {
  const { files = PROJECT, script = reviewed(), era = 'modern', transport = 'stdio', hasKey = true } = options;
  const place = createTestHome(files);
  options.prepare?.(place);
  const model = await startServer(script);
  const env = toEnv({
    place,
    ...(hasKey ? { server: model } : {}),
    env: { KLAUS_SANDBOX: 'bubblewrap', ...options.env },
  });
  const createClient = () =>
    new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
    );
  let client = createClient();
  let stdio: StdioClientTransport | undefined;
  const connect = async (): Promise<void> => {
    const args = [MAIN, 'mcp', ...(options.words ?? [])];
    stdio = new StdioClientTransport({ command: process.execPath, args, cwd: place.workspace, env, stderr: 'inherit' });
    await client.connect(stdio);
  };
  let http: RunningKlaus | undefined;
  if (transport === 'http') {
    http = startKlaus(['mcp', '--http', ...(options.words ?? [])], { place, env });
    await http.printed('stdout', '\n');
    const { url, token } = JSON.parse(http.text.stdout) as { url: string; token: string };
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  } else await connect();
  return {
    place,
    model,
    get client() {
      return client;
    },
    kill: () => void process.kill(stdio!.pid!, 'SIGKILL'),
    async reconnect() {
      client = createClient();
      await connect();
    },
    async call(name, input = {}, { signal, onProgress } = {}) {
      const result = await client.callTool(
        { name, arguments: { working_dir: place.workspace, ...input } },
        {
          timeout: 50_000,
          signal,
          ...(onProgress ? { onprogress: ({ message }) => onProgress(message ?? '') } : {}),
        },
      );
      return { ...(result.structuredContent as unknown as Answer), isError: result.isError === true };
    },
    git: (...args) => runGit(place, ...args),
    write: (path, text) => writeFileSync(join(place.workspace, path), text),
    async [Symbol.asyncDispose]() {
      await client.close();
      http?.kill('SIGTERM');
      await http?.ended;
      await model[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}
