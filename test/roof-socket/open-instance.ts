import type { Script } from '@klaus/adapters/models';
import { startKlaus, startServer, type RunningKlaus } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { connectScript, type Connection } from './socket-script.ts';

const define = (name: string, more: string): string =>
  `---\nname: ${name}\ndescription: An agent of the test.\ncapabilities: [file-operations]\n${more}---\n\nYou work.\n`;

/** Agents by what they may start. */
export const AGENTS: Readonly<Record<string, string>> = {
  '~/.klaus/agents/orchestrator.md': define('orchestrator', 'allowedAgents: [programmer]\n'),
  '~/.klaus/agents/programmer.md': define('programmer', 'allowedAgents: ["*"]\n'),
  '~/.klaus/agents/reader.md': define('reader', ''),
};

/** Prompts with `hang` get an answer that never ends; prompts with `ask` write a file. */
export const SCRIPT: Script = {
  steps: [
    // A cancelled answer may be empty: the prompt is then one text with the one before it.
    { when: { user: 'after that' }, reply: { text: 'Done.' } },
    {
      when: { user: 'hang' },
      reply: { text: 'Not complete.' },
      faults: [{ kind: 'hang', after: 1, keepAlive: false }],
    },
    {
      when: { user: 'ask', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'one\n' } }] },
    },
  ],
  fallback: { text: 'Done.' },
};

export interface OpenedInstance {
  readonly id: string;
  readonly socket: string;
  readonly project: string;
  readonly running: RunningKlaus;
  connect(): Connection;
}

export interface InstancePlace extends AsyncDisposable {
  readonly place: TestHome;
  readonly server: Awaited<ReturnType<typeof startServer>>;
  /** Starts `klaus instance`, and resolves when its socket is open. */
  open(options?: { words?: readonly string[]; cwd?: string; env?: Record<string, string> }): Promise<OpenedInstance>;
}

export async function openInstancePlace(script: Script = SCRIPT): Promise<InstancePlace> {
  const place = createTestHome({ 'README.md': '# Test\n', ...AGENTS });
  const server = await startServer(script);
  const opened: RunningKlaus[] = [];
  const connections: Connection[] = [];
  return {
    place,
    server,
    async open({ words = [], ...options } = {}) {
      const running = startKlaus(['instance', '--json', ...words], { place, server, ...options });
      opened.push(running);
      await running.printed('stdout', '\n');
      const { id, socket, project } = JSON.parse(running.text.stdout) as OpenedInstance;
      const connect = (): Connection => {
        const connection = connectScript(socket);
        connections.push(connection);
        return connection;
      };
      return { id, socket, project, running, connect };
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection[Symbol.dispose]();
      for (const running of opened) {
        running.kill('SIGKILL');
        await running.ended;
      }
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}
