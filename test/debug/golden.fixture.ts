import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createKlaus, toCanonical, type Event, type Script } from '@klaus/sdk';
import { expect } from 'vitest';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { installDebugCli } from './debug-cli.fixture.ts';

/** A program that fails and investigates its error, in any language. It starts the CLI that `KLENDATHU_CLI` names. */
export interface GoldenHost {
  files: Readonly<Record<string, string>>;
  command: readonly [program: string, ...words: string[]];
  env?: Readonly<Record<string, string>>;
}

/**
 * Runs a story through the CLI with a program.
 *
 * @returns The canonical log of its session, without what describes the program: its language, its source, its process.
 */
export async function runGolden(host: GoldenHost, script: Script): Promise<unknown[]> {
  using place = createTestHome(host.files);
  await using server = await startServer(script);
  const [program, ...words] = host.command;
  const child = spawn(program, words, {
    cwd: place.workspace,
    env: { ...toEnv({ place, server }), KLENDATHU_CLI: installDebugCli(place), ...host.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await once(child, 'close');
  await using klaus = await createKlaus({ cwd: place.workspace, env: place.env });
  const sessions = await klaus.sessions();
  expect(sessions, output).toHaveLength(1);
  const events = await Array.fromAsync(klaus.handle(sessions[0]!.id).events());
  return toCanonical(events.map(toHostless), new Map([[place.workspace, '/workspace']]));
}

/** The event without what may differ between two programs that failed alike. */
function toHostless(event: Event): Event {
  switch (event.type) {
    case 'session.opened':
      return {
        ...event,
        grant: {
          ...event.grant,
          authorities: event.grant.authorities.map((each) => (each.kind === 'net' ? { ...each, port: 0 } : each)),
        },
      };
    case 'session.changed':
      return event.title === undefined ? event : { ...event, title: event.title.replace(/ at \S+:\d+$/, ' at PLACE') };
    case 'message.added':
      if (event.message.origin !== 'user') return { ...event, message: toPlain(event.message) };
      return { ...event, message: mapTexts(event.message, toHostlessPrompt) };
    case 'tool.finished':
      return { ...event, output: toPlainJson(event.output) };
    default:
      return event;
  }
}

type Message = Extract<Event, { type: 'message.added' }>['message'];

/** Results of tools in the same JSON, without the spaces and the order of a language. */
function toPlain(message: Message): Message {
  const parts = message.parts.map((part) =>
    part.type === 'result' ? { ...part, text: toPlainJson(part.text) } : part,
  );
  return { ...message, parts };
}

function mapTexts(message: Message, map: (text: string) => string): Message {
  const parts = message.parts.map((part) => (part.type === 'text' ? { ...part, text: map(part.text) } : part));
  return { ...message, parts };
}

/** The text of the template stays; the data of the program goes. */
function toHostlessPrompt(text: string): string {
  return text
    .replaceAll(/^(`{3,})untrusted\n[\s\S]*?\n\1$/gm, 'DATA')
    .replace(/^A program.*$/m, (line) => line.replace(/^A program.*? failed at \S+\./, 'A program failed.'))
    .replace(/process \d+/, 'process PID');
}

function toPlainJson(text: string): string {
  try {
    return JSON.stringify(sortKeys(JSON.parse(text)));
  } catch {
    return text;
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, sortKeys(item)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
