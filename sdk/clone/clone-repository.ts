import { headOf, tailOf } from '@klaus/core/cut-text';
import { spawn } from 'node:child_process';
import { toHostEnvironment } from '@klaus/adapters/system';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import type { CloneSource } from './clone-source.ts';
import { limitGit, toUnreachable, type CloneLimits, type LimitedGit } from './limited-clone.ts';

export interface CloneProgress {
  /** As Git names it, such as `Receiving objects`. */
  phase: string;
  /** 0 to 100; undefined if Git does not know it. */
  percent: number | undefined;
}

export interface CloneOptions {
  source: CloneSource;
  /** Absolute path of the new folder. No sandbox may be able to write in it, because Git runs outside of any. */
  folder: string;
  onProgress?: (progress: CloneProgress) => void;
  /** Default: Git uses the network and the credentials of the user of this process. */
  limits?: CloneLimits;
  signal: AbortSignal;
}

/** Characters of Git's messages that an error quotes. */
const MAX_MESSAGE = 600;
/** Seconds without data after which Git gives up. */
const STALLED_S = 60;

/** No hook, template, filter of Git LFS or program that a repository names runs. */
const SETTINGS = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'init.templateDir': '',
  'submodule.recurse': 'false',
  'fetch.fsckObjects': 'true',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'http.lowSpeedLimit': '1',
  'http.lowSpeedTime': String(STALLED_S),
  'protocol.allow': 'never',
};

const ENVIRONMENT = {
  // There is no terminal at which Git could ask for a password.
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=20',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

/**
 * Clones a repository with its files, without submodules and hooks. Git uses the credentials of the user of this process.
 *
 * @throws KlausError `tool.failed` with Git's message; `cancelled` if the signal is aborted. The folder may then exist
 *   partly.
 */
export async function cloneRepository({ limits, ...options }: CloneOptions): Promise<void> {
  if (!limits) return await runClone(options);
  using limited = await limitGit(options.source, limits);
  try {
    await runClone({ ...options, limited });
  } catch (error) {
    // What Git reports about a connection shows what listens where.
    if (isKlausError(error) && error.code === 'tool.failed' && options.source.protocol !== 'file') {
      if (!ANSWERED.test(error.message)) throw toUnreachable();
    }
    throw error;
  }
}

/** Messages about an answer of a server that was reached. */
const ANSWERED =
  /Authentication failed|could not read Username|terminal prompts disabled|not found|returned error: 40[134]|No space left|Permission denied|git did not start/i;

async function runClone({
  source,
  folder,
  onProgress,
  signal,
  limited = { settings: {}, env: {} },
}: CloneOptions & { limited?: Pick<LimitedGit, 'settings' | 'env'> }): Promise<void> {
  const settings = { ...SETTINGS, ...limited.settings, [`protocol.${source.protocol}.allow`]: 'always' };
  const own = Object.entries(toHostEnvironment()).filter(([name]) => !name.startsWith('GIT_'));
  const child = spawn(
    'git',
    [
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ...['clone', '--progress', '--no-hardlinks', '--no-recurse-submodules', '--template=', '--', source.url, folder],
    ],
    // A group of its own, because Git starts programs that would survive it.
    {
      env: { ...Object.fromEntries(own), ...ENVIRONMENT, ...limited.env },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    },
  );
  const stop = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const lines: string[] = [];
  let rest = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    const read = (rest + text).split(/[\r\n]+/);
    rest = tailOf(read.pop()!, MAX_MESSAGE);
    for (const line of read) {
      const progress = toProgress(line);
      if (progress) onProgress?.(progress);
      else if (line.trim() !== '') lines.push(line.trim());
    }
    lines.splice(0, lines.length - 20);
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', (cause) =>
        reject(
          new KlausError('tool.failed', 'The program git did not start.', {
            hint: 'Install Git on the server.',
            cause,
          }),
        ),
      );
      child.on('close', (ended, by) => {
        if (by !== null) lines.push(`git was ended by ${by}.`);
        resolve(ended);
      });
    });
    if (signal.aborted) throw new KlausError('cancelled', 'The clone was cancelled.');
    if (code !== 0) throw toFailure([...lines, rest], source);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A line of Git's progress, such as `Receiving objects:  45% (9/20)`. */
function toProgress(line: string): CloneProgress | undefined {
  const [, phase, percent] = /^(?:remote: )?([A-Z][\w ]{2,40}):\s+(\d{1,3})%/.exec(line) ?? [];
  if (phase !== undefined) return { phase, percent: Number(percent) };
  const [, counted] = /^(?:remote: )?([A-Z][\w ]{2,40}): \d+(?:, done\.)?$/.exec(line) ?? [];
  return counted === undefined ? undefined : { phase: counted, percent: undefined };
}

/** What the messages of Git mean, and what to do about it. */
const CAUSES: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [
    /Authentication failed|could not read Username|terminal prompts disabled|403/i,
    'The server has no access to it. Set up a credential helper for the user who runs the server, or use an SSH address.',
  ],
  [
    /Permission denied \(publickey|Host key verification failed/i,
    'Connect once with `ssh HOST` as the user who runs the server, and add its public key at the host.',
  ],
  [
    /Could not resolve host|Could not connect|timed out|unreachable/i,
    'Check the address and the network of the server.',
  ],
  [/not found|does not (?:exist|appear)|404/i, 'Check the address, and that the server may read the repository.'],
  [/No space left/i, 'Free space on the disk of the server.'],
];

function toFailure(lines: readonly string[], { protocol }: CloneSource): KlausError {
  const text = headOf(
    lines
      .filter((line) => !line.startsWith('Cloning into'))
      .map((line) => line.replace(/^(?:fatal|error): /, ''))
      .join(' ')
      .trim(),
    MAX_MESSAGE,
  );
  const hint =
    CAUSES.find(([pattern]) => pattern.test(text))?.[1] ??
    `Try the same on the machine of the server: \`git clone\` with this ${protocol === 'file' ? 'path' : 'address'}.`;
  return new KlausError('tool.failed', `Git could not clone the repository: ${text || 'it ended without a message'}`, {
    hint,
  });
}
