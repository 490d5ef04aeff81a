import type { Script } from '@klaus/adapters/models';
import { createKlaus, type Event } from '@klaus/sdk';
import { expect } from 'vitest';
import { type Emulator, type EmulatorOptions, KEYS, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

export interface ChatOptions {
  script: Script;
  /** Content of the workspace by path. */
  files?: Readonly<Record<string, string>>;
  /** The command. Default: `chat klaus`. */
  command?: readonly string[];
  /** Default: the workspace. */
  cwd?: string;
  /** Further words of the command line. */
  words?: readonly string[];
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  hasJobs?: boolean;
  sixelCell?: EmulatorOptions['sixelCell'];
  /** A program that starts `klaus` with its arguments. Default: none. */
  launcher?: readonly string[];
  /** False: the program may end before its input is ready. Default true. */
  isReady?: boolean;
}

/** A workspace with a scripted model, and terminals in which `klaus chat` runs. */
export interface ChatPlace extends AsyncDisposable {
  readonly place: TestHome;
  readonly server: Awaited<ReturnType<typeof startServer>>;
  /** Opens a terminal, and resolves when the input is ready. */
  open(options?: Partial<Omit<ChatOptions, 'script' | 'files'>>): Promise<Emulator>;
  /** Runs another `klaus` to its end. */
  run(...words: readonly string[]): ReturnType<typeof runKlaus>;
  /** The log of a session, by default of the latest one. */
  events(session?: string): Promise<Event[]>;
  /** Ids of all sessions, the newest first. */
  sessions(): Promise<string[]>;
}

export async function openChatPlace(options: ChatOptions): Promise<ChatPlace> {
  const place = createTestHome(options.files);
  const server = await startServer(options.script);
  const opened: Emulator[] = [];
  const run = (...words: readonly string[]): ReturnType<typeof runKlaus> => runKlaus(words, { place, server });
  return {
    place,
    server,
    async open(more = {}) {
      const {
        command = ['chat', 'klaus'],
        cwd = place.workspace,
        words = ['--approve', 'ask'],
        columns,
        rows = 30,
        env,
        hasJobs,
        sixelCell,
        launcher = [],
        isReady = true,
      } = { ...options, ...more };
      const terminal = await openEmulator([...launcher, process.execPath, MAIN, ...command, ...words], {
        env: toEnv({ place, server, env }),
        cwd,
        rows,
        columns,
        hasJobs,
        sixelCell,
      });
      opened.push(terminal);
      if (isReady) await terminal.shows('mode ');
      return terminal;
    },
    run,
    async events(session) {
      await using klaus = await createKlaus({ cwd: place.workspace, env: toEnv({ place, server }) });
      const id = session ?? (await klaus.sessions())[0]!.id;
      const events = await Array.fromAsync((await klaus.session(id)).events());
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      return events;
    },
    async sessions() {
      await using klaus = await createKlaus({ cwd: place.workspace, env: toEnv({ place, server }) });
      return (await klaus.sessions()).map(({ id }) => id);
    },
    async [Symbol.asyncDispose]() {
      for (const terminal of opened) await terminal[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

/** The screen without what differs between two runs: ids, times, sizes of requests and animations. */
export function toStable(screen: string, events: readonly Event[]): string {
  const ids = new Set(events.map(({ session }) => session));
  let text = screen;
  // An id can be wrapped.
  for (const id of ids)
    text = text.replaceAll(new RegExp(id.split('').join(String.raw`(?:\n *)?`), 'g'), (found) =>
      found.replaceAll(/\w/g, 'S'),
    );
  return text
    .replaceAll(/klaus-test-\w{6}/g, 'klaus-test-XXXXXX')
    .replaceAll(/(?<=checkpoint )\w{10}/g, 'CCCCCCCCCC')
    .replaceAll(/(?<=[\w·]) \d[\d.]* m?s(?: · [^\n]*…)?(?= ·|$)/gm, ' (time)')
    .replaceAll(/[\d,]+ tokens in|[\d,]+ from cache|[\d,]+\s+out\b|\$\d\.\d+/g, (found) => found.replaceAll(/\d/g, '0'))
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '⠋');
}

/** Waits for a question, and gives it the keys. Resolves with the screen that shows its answers. */
export async function focusQuestion(terminal: Emulator): Promise<string> {
  await terminal.shows(/ Tab answers /);
  terminal.type(KEYS.tab);
  return await terminal.shows(/ q later [\s\S]* Esc input/);
}

/** Waits for a question, focuses it and gives the answer of a key. */
export async function answerQuestion(terminal: Emulator, key: string): Promise<void> {
  await focusQuestion(terminal);
  terminal.type(key);
}

/** Waits until nothing runs and the input is empty: then the screen does not change any more. */
export async function untilIdle(terminal: Emulator): Promise<string> {
  return await terminal.until(
    (screen) => !screen.includes('Esc cancels') && !/ Tab answers |\? Waiting/.test(screen) && /^›\s*$/m.test(screen),
    'is not idle',
  );
}
