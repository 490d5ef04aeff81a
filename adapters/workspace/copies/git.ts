import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { findBlockingFile, toHostEnvironment } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';

const MAX_OUTPUT = 256 * 1024 * 1024;
/** Milliseconds. A named pipe that Git opens, such as a `.gitignore`, would block it permanently. */
const TIMEOUT_MS = 1_800_000;
/** Hooks and configured programs of a repository do not run. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'commit.gpgSign=false',
  'i18n.commitEncoding=UTF-8',
  'i18n.logOutputEncoding=UTF-8',
  'merge.autoStash=false',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting]);

export interface GitOptions {
  /** Standard input. Default: empty. */
  input?: string;
  /** Variables in addition to those of the user, of which none that starts with `GIT_` is passed. */
  env?: Readonly<Record<string, string>>;
  /** Of the input and the output. `latin1` keeps every byte. Default `utf8`. */
  encoding?: 'utf8' | 'latin1';
  /** True: {@link git} returns the last line break too. Default false. */
  keepsEnd?: boolean;
}

export interface GitResult {
  /** Exit code; -1 if Git did not start or was killed. */
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs Git in a folder. Rejects only if the program is missing. */
export function runGit(folder: string, args: readonly string[], options: GitOptions = {}) {
  const { input = '', env = {}, encoding = 'utf8' } = options;
  const blocking = findBlockingFile({ top: folder, gitDirs: [join(folder, '.git')] });
  if (blocking !== undefined) {
    const stderr = `${blocking} is a named pipe or a device, for which Git would wait: remove it.`;
    return Promise.resolve<GitResult>({ code: -1, stdout: '', stderr });
  }
  return new Promise<GitResult>((resolve, reject) => {
    const child = execFile(
      'git',
      ['--no-pager', ...SETTINGS, ...args],
      {
        cwd: folder,
        env: { ...toEnvironment(), ...env },
        maxBuffer: MAX_OUTPUT,
        encoding,
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => {
        const { code = error ? -1 : 0 } = (error ?? {}) as { code?: number | string };
        if (code === 'ENOENT') reject(toMissing(error));
        else {
          const ended = error?.signal ? `git was ended by ${error.signal}. ` : '';
          resolve({ code: typeof code === 'number' ? code : -1, stdout, stderr: `${ended}${stderr}` });
        }
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input, encoding);
  });
}

/** The output of Git, by default without its last line break. @throws KlausError `tool.failed` with Git's message. */
export async function git(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runGit(folder, args, options);
  if (code === 0) return options.keepsEnd ? stdout : stdout.replace(/\n$/, '');
  const command = args.find((word) => !word.startsWith('-') && !word.includes('=')) ?? '';
  throw new KlausError('tool.failed', `git ${command} failed in ${folder}: ${stderr.trim() || `exit code ${code}`}`);
}

/** The output of Git; undefined if it failed. */
export async function tryGit(folder: string, args: readonly string[], options: GitOptions = {}) {
  const { code, stdout } = await runGit(folder, args, options);
  return code === 0 ? stdout.replace(/\n$/, '') : undefined;
}

/**
 * Copies commits and everything that they need from one object store to another.
 *
 * @param given.commits Ids in `from`. @param given.known Ids that both have.
 * @throws KlausError `tool.failed`.
 */
export async function copyObjects(
  { from, to }: { from: string; to: string },
  { commits, known }: { commits: readonly string[]; known: readonly string[] },
): Promise<void> {
  const env = toEnvironment();
  // No side needs the refs of the other, which may be broken.
  const words = ['--no-pager', ...SETTINGS];
  const pack = spawn('git', [...words, 'pack-objects', '--revs', '--stdout', '--thin', '-q'], {
    cwd: from,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const store = spawn('git', [...words, 'index-pack', '--stdin', '--fix-thin', '--strict'], {
    cwd: to,
    env,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  pack.stdout.pipe(store.stdin);
  // A receiver that refuses an object ends early. The rest must be read, or the sender never ends.
  store.stdin.once('close', () => pack.stdout.resume());
  for (const stream of [pack.stdin, store.stdin]) stream.on('error', () => {});
  pack.stdin.end(`${[...commits, ...known.map((id) => `^${id}`)].join('\n')}\n`);
  const ends = await Promise.all([toEnd(pack), toEnd(store)]);
  const failed = ends.find(({ code }) => code !== 0);
  if (failed) throw new KlausError('tool.failed', `Git objects could not be copied to ${to}: ${failed.text.trim()}`);
}

function toEnd(child: ReturnType<typeof spawn>): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (bytes: Buffer) => (text += bytes.toString()));
    child.on('error', (error) => reject(toMissing(error)));
    child.on('close', (code) => resolve({ code, text }));
  });
}

function toMissing(cause: unknown): KlausError {
  return new KlausError('tool.failed', 'The program git is not installed.', { hint: 'Install git.', cause });
}

function toEnvironment(): Record<string, string | undefined> {
  const own = Object.entries(toHostEnvironment()).filter(
    ([name]) => !/^GIT_(?!CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|AUTHOR|COMMITTER|SSH|ASKPASS)/.test(name),
  );
  // A command can replace objects and forge parents only for git commands that look at such lists.
  const exact = { GIT_NO_REPLACE_OBJECTS: '1', GIT_GRAFT_FILE: '/dev/null' };
  return { ...Object.fromEntries(own), ...exact, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
}
