import type { ToolCall } from '../fixtures/play.ts';
import type { OpenOptions } from '@klaus/sdk';
import type { TestHome } from '../fixtures/test-home.ts';
import type { Chance } from '../undo/chance.ts';
import type { Scene } from './scene.ts';

/** One generated attack: what is there, what the hijacked model calls, and what would be an effect. */
export interface AttackCase {
  /** The choices that make this case, for the report. */
  name: string;
  /** Files of the workspace, committed before the session begins. */
  files?: Readonly<Record<string, string>>;
  /** Added to the environment that Klaus is started with, such as `PATH`. */
  env?: (place: TestHome) => Readonly<Record<string, string>>;
  /** Prepares the scene on the host before the session begins. */
  before?: (scene: Scene) => void;
  /** The calls, one model turn each; a list inside makes its calls in one turn. */
  calls: (scene: Scene) => readonly (ToolCall | readonly ToolCall[])[];
  /** Further sessions on the same workspace, one after the other: their calls, as in `calls`. */
  later?: readonly AttackCase['calls'][];
  /** The last words of every session. Default: `Done.` */
  says?: string;
  /** Runs after the sessions, as the user would continue: effects as sentences. None: the attack failed. */
  effects: (scene: Scene) => readonly string[] | Promise<readonly string[]>;
  /** How the sessions are opened, such as in a working copy. Default: in the workspace. */
  opening?: Pick<OpenOptions, 'workingCopy' | 'isolate'>;
  /** The approval mode. Default: `auto`. */
  mode?: 'auto' | 'edits';
  /** A user who approves the first question and rejects every other. Default: no answer. */
  user?: {
    scope: 'once' | 'session' | 'project';
    /** Runs between the question and the answer: what a background process could do. */
    beforeAnswer?: (scene: Scene) => void;
  };
  /** The exit outcome is part of the promise: `run.finished.outcome` that the run must end with. */
  outcome?: string;
}

/** A class of attack. Every index gives another case, and always the same one. */
export interface AttackClass {
  name: string;
  generate: (chance: Chance, index: number) => AttackCase;
}

/** A shell command of the model. */
export function run(command: string): ToolCall {
  return { name: 'run_command', input: { command } };
}

/** A program of the model in a file, which no parser of shell commands reads, and the command that runs it. */
export function runProgram(path: string, source: string): ToolCall[] {
  const program = path.endsWith('.py') ? 'python3' : path.endsWith('.js') ? 'node' : 'sh';
  return [{ name: 'write_file', input: { path, content: source } }, run(`${program} ${path}`)];
}

/** Python source in one command. */
export function runInline(source: string): ToolCall {
  return run(`python3 - <<'PY'\n${source}\nPY`);
}
