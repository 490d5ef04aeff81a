import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf } from '@klaus/sdk';
import { createTestEngine, outcomeOf } from '../fixtures/engine.ts';
import { toProject } from './project.ts';

interface Call {
  name: string;
  input: Record<string, string>;
}

/** A scripted run: the calls of each turn, then the last words of the model. */
export interface Play {
  turns: readonly (readonly Call[])[];
  says: string;
  /** Files that another program writes to the workspace before this run. */
  edits?: Readonly<Record<string, string>>;
}

export interface Case {
  name: string;
  runs: readonly Play[];
  /** True if `subtract` is correct from the beginning. */
  isFixed?: boolean;
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

/** Runs a case with the real engine and real commands. Returns the end of its last run. */
export async function play({ runs, isFixed = false, files, settings }: Case): Promise<EventOf<'run.finished'>> {
  let turn = 0;
  const steps = runs.flatMap(({ turns, says }) => [
    ...turns.map((calls) => ({ when: { turn: turn++ }, reply: { calls: calls.map((call) => ({ ...call })) } })),
    { when: { turn: turn++ }, reply: { text: says } },
  ]);
  await using engine = await createTestEngine({
    script: { steps },
    files: { ...toProject(isFixed), ...files },
    settings,
  });
  const session = await engine.klaus.open({ mode: 'auto' });
  for (const [at, { edits = {} }] of runs.entries()) {
    for (const [path, content] of Object.entries(edits)) writeFileSync(join(engine.place.workspace, path), content);
    await session.prompt(`prompt ${at}`);
    await session.advance();
  }
  const finished = outcomeOf(await Array.fromAsync(session.events()));
  if (!finished) throw new Error('the run did not end');
  return finished;
}
