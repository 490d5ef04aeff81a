/** A program that is searched where a project has programs, then on the path. */
export interface SearchedProgram {
  readonly name: string;
  /** Folders that are searched first. */
  readonly folders: readonly string[];
}

/** The end of a command. */
export interface CommandEnd {
  exitCode: number | null;
  signal: string | null;
  stderr: string;
  timedOut: boolean;
}

/** Why a program cannot run. */
export interface Obstacle {
  /** In one line. Undefined: there is no such program. */
  reason?: string;
}

/** Exit code of a shell for a program that does not exist. */
const MISSING = 127;
const MAX_REASON = 300;

/** Starts the first program that exists: its name, folders, an empty word, and its arguments. */
const START = [
  'program=$1; found=; shift',
  'while [ -n "$1" ]; do if [ -z "$found" ] && [ -x "$1/$program" ]; then found=$1/$program; fi; shift; done; shift',
  `[ -n "$found" ] || found=$(command -v "$program") || exit ${MISSING}`,
  'exec "$found" "$@"',
].join('\n');

/** The command that starts a program with arguments. */
export function toStart({ name, folders }: SearchedProgram, words: readonly string[]): string[] {
  return ['/bin/sh', '-c', START, 'sh', name, ...folders, '', ...words];
}

/** True for the end of {@link toStart} if there is no such program. A launcher that finds no version says so. */
export function isMissing({ exitCode, stderr }: Pick<CommandEnd, 'exitCode' | 'stderr'>): boolean {
  return exitCode === MISSING && stderr.trim() === '';
}

/**
 * Why a program cannot run at all: it does not exist, lacks its interpreter, or is the launcher of a version manager
 * without a version, such as those of rustup, pyenv, asdf, mise and Volta. Undefined if it runs, or if nothing says that
 * it does not.
 *
 * @param exec Runs a command where the program is meant to run: in its environment, its folder, and with a time limit.
 * @param words Arguments with which the program ends at once with exit code 0.
 */
export async function findObstacle(
  exec: (command: string[]) => Promise<CommandEnd>,
  program: SearchedProgram,
  words: readonly string[] = ['--version'],
): Promise<Obstacle | undefined> {
  let end: CommandEnd;
  try {
    end = await exec(toStart(program, words));
  } catch {
    return undefined;
  }
  if (end.exitCode === 0 || end.timedOut) return undefined;
  if (isMissing(end)) return {};
  const reason = toLine(end.stderr);
  const how = end.exitCode === null ? `was ended by ${end.signal}` : `ended with exit code ${end.exitCode}`;
  return { reason: reason === '' ? `${[program.name, ...words].join(' ')} ${how}` : reason };
}

/** The text of a program in one line, at most 300 characters. */
export function toLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_REASON).toWellFormed();
}
