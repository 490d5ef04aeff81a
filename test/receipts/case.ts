import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf } from '@klaus/sdk';
import { createTestEngine, outcomeOf } from '../fixtures/engine.ts';
import { toProject } from './project.ts';

interface Call {
  name: string;
  input: Record<string, string>;
}

/** A run as a model plays it: calls turn by turn, then its last words. */
export interface Play {
  turns: readonly (readonly Call[])[];
  says: string;
  /** Written into the workspace by somebody else before this run. */
  meanwhile?: Readonly<Record<string, string>>;
}

export interface Case {
  name: string;
  runs: readonly Play[];
  /** `subtract` is right from the beginning. */
  isMended?: boolean;
  files?: Readonly<Record<string, string>>;
  settings?: Readonly<Record<string, unknown>>;
}

export const sh = (command: string, rest: { cwd?: string } = {}): Call => ({
  name: 'run_command',
  input: { command, ...rest },
});
export const write = (path: string, content: string): Call => ({ name: 'write_file', input: { path, content } });
export const remove = (path: string): Call => ({ name: 'delete_file', input: { path } });
export const tests = (input: Record<string, string> = {}): Call => ({ name: 'run_tests', input });
export const script = (name: string): Call => ({ name: 'npm_run', input: { script: name } });
export const read = (path: string): Call => ({ name: 'read_file', input: { path } });

/** Plays a case through the real engine, with real commands, and gives the end of its last run. */
export async function play({ runs, isMended = false, files, settings }: Case): Promise<EventOf<'run.finished'>> {
  let turn = 0;
  const steps = runs.flatMap(({ turns, says }) => [
    ...turns.map((calls) => ({ when: { turn: turn++ }, reply: { calls: calls.map((call) => ({ ...call })) } })),
    { when: { turn: turn++ }, reply: { text: says } },
  ]);
  await using engine = await createTestEngine({
    script: { steps },
    files: { ...toProject(isMended), ...files },
    ...(settings ? { settings } : {}),
  });
  const session = await engine.klaus.open({ mode: 'auto' });
  for (const [at, { meanwhile = {} }] of runs.entries()) {
    for (const [path, content] of Object.entries(meanwhile)) writeFileSync(join(engine.place.workspace, path), content);
    await session.prompt(`prompt ${at}`);
    await session.advance();
  }
  const finished = outcomeOf(await Array.fromAsync(session.events()));
  if (!finished) throw new Error('the run did not end');
  return finished;
}
