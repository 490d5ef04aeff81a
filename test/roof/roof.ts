import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createKlaus, type EventType, type Script } from '@klaus/sdk';
import type { SessionState } from '@klaus/sdk/session-states';
import type { ServerDescriptor } from '@klaus/server/contract';
import { findProcesses } from '../faults/processes.ts';
import { toClaudeCodeEnv } from '../fixtures/claude-code.ts';
import { untilLogged } from '../fixtures/engine.ts';
import { type Ended, type RunningKlaus, runKlaus, startKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { pollUntil } from '../fixtures/poll.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

/** A state folder with a daemon that its commands start. No process of it survives the test. */
export interface Roof extends AsyncDisposable {
  readonly place: TestHome;
  readonly model: Awaited<ReturnType<typeof startServer>>;
  /** Runs a command to its end. */
  klaus(...words: string[]): Promise<Ended>;
  /** Starts a command. */
  begin(...words: string[]): RunningKlaus;
  /** Starts sessions of the built-in agent. Returns their ids. */
  start(...words: string[]): Promise<string[]>;
  status(id: string): Promise<SessionState>;
  /** Resolves once the log of a session has so many events of a type. */
  logged(id: string, type: EventType, count?: number): Promise<void>;
  /** What the running server reports about itself. */
  descriptor(): ServerDescriptor | undefined;
  /** Process ids of the daemons of this state folder. */
  readonly daemons: () => number[];
}

export const TITLE = { when: { tools: false }, reply: { text: 'A title' } };

/** Two turns, the first of which is streamed for some time. */
const toTurns = (times: number): Script => ({
  steps: [
    TITLE,
    {
      when: { turn: 0 },
      pace: 20,
      chunk: 10,
      reply: { text: { repeat: 'step ', times }, calls: [{ shell: 'cat README.md' }] },
    },
    { when: { turn: 1 }, reply: { text: 'It is\ndone.' } },
    ...[2, 3, 4].map((turn) => ({ when: { turn }, reply: { text: 'Also\ndone.' } })),
  ],
});

/** About two seconds. */
export const SLOW = toTurns(200);

/** Two turns, at once. */
export const SHORT = toTurns(1);

/** Longer than a test takes. */
export const ENDLESS = toTurns(20_000);

/** A change of a file, which needs an approval in mode `ask`. */
export const WRITE: Script = {
  steps: [
    TITLE,
    { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] } },
    { when: { turn: 1 }, reply: { text: 'Written.' } },
  ],
};

export interface RoofOptions {
  script?: Script;
  env?: Record<string, string>;
  files?: Readonly<Record<string, string>>;
  /** Temporary files of its processes are in a folder of the test. */
  temporary?: boolean;
  /** The user of its processes, if it is another one. */
  user?: TestHome['user'];
  /** The program of Claude Code, which drives the sessions instead of Klaus. */
  claude?: string;
}

export async function createRoof(given: RoofOptions = {}): Promise<Roof> {
  const { script = SLOW, files, temporary, claude } = given;
  const place = createTestHome(files, given.user);
  const model = await startServer(script);
  const env = {
    ...given.env,
    ...(temporary ? { TMPDIR: createTemporary(place) } : {}),
    ...(claude === undefined ? {} : toClaudeEnv(place, { claude, url: model.url })),
  };
  const options = { place, server: model, env };
  const runner = claude === undefined ? [] : ['--runner', 'claude-code'];
  const daemons = (): number[] => findDaemons(place.home);
  const roof: Omit<Roof, typeof Symbol.asyncDispose> = {
    place,
    model,
    klaus: (...words) => runKlaus(words, options),
    begin: (...words) => startKlaus(words, options),
    async start(...words) {
      const { code, stdout, stderr } = await roof.klaus('start', 'klaus', 'do it', '--detach', ...runner, ...words);
      if (code !== 0) throw new Error(stderr);
      return stdout.trim().split('\n');
    },
    async status(id) {
      const { stdout, stderr } = await roof.klaus('status', id, '--json');
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as SessionState;
    },
    async logged(id, type, count) {
      await using klaus = await createKlaus({ cwd: place.workspace, env: toEnv({ place }) });
      await untilLogged(klaus, id, type, count);
    },
    descriptor() {
      try {
        return JSON.parse(readFileSync(join(place.home, 'server', 'klaus.sock.json'), 'utf8')) as ServerDescriptor;
      } catch {
        return undefined;
      }
    },
    daemons,
  };
  return {
    ...roof,
    async [Symbol.asyncDispose]() {
      for (const pid of daemons()) process.kill(pid, 'SIGKILL');
      await untilGone(daemons);
      await model.close();
      place[Symbol.dispose]();
    },
  };
}

function createTemporary({ home }: TestHome): string {
  const folder = join(home, '../tmp');
  mkdirSync(folder);
  return folder;
}

/** A PATH with the program, which a test cache in `node_modules` would exclude. */
function toClaudeEnv(place: TestHome, { claude, url }: { claude: string; url: string }): Record<string, string> {
  const folder = join(place.env['HOME']!, '.local/bin');
  mkdirSync(folder, { recursive: true });
  symlinkSync(claude, join(folder, 'claude'));
  return { ...toClaudeCodeEnv(place, url), PATH: `${folder}:${place.env['PATH']}` };
}

/** Resolves when a list of processes is empty. The kernel notifies of the end of own children only. */
export const untilGone = (list: () => readonly number[]): Promise<boolean> => pollUntil(() => list().length === 0);

/** The error of a command with `--json`. */
export function toError({ stderr }: Ended): { code: string; message: string; hint: string } {
  const line = stderr.split('\n').find((each) => each.startsWith('{"error"'));
  if (line === undefined) throw new Error(`no error in: ${stderr}`);
  return (JSON.parse(line) as { error: { code: string; message: string; hint: string } }).error;
}

/** Process ids of the daemons of a state folder. */
export function findDaemons(home: string): number[] {
  return findProcesses('serve --daemon').filter((pid) => isOf(pid, home));
}

/** True if a process has the state folder in its environment. */
export function isOf(pid: number, home: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`KLAUS_HOME=${home}`);
  } catch {
    return false;
  }
}
