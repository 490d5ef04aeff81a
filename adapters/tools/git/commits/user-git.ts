import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { listUserGitSettings, toHostEnvironment } from '@klaus/adapters/system';
import type { UserGit } from '@klaus/core/agent';
import { toolFailed } from '../../tool-failed.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The user may have to enter a passphrase. */
const SIGN_MS = 120_000;
/** Characters of an error of a program. */
const MAX_ERROR = 500;

/**
 * Git as the user has configured it.
 *
 * @param signs True: commits may be signed. Default false.
 */
export function createUserGit(env: Environment, { signs = false } = {}): UserGit {
  const settings = async (folder: string): Promise<ReadonlyMap<string, string>> => {
    const listed = await listUserGitSettings(env, folder);
    return new Map(listed.map(([name, value]) => [name.toLowerCase(), value]));
  };
  if (!signs) return { settings };
  return { settings, sign: async (payload, folder) => sign(await settings(folder), { payload, env }) };
}

/** True for a value that git takes for true. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(?:true|yes|on|1)$/i.test(value);
}

interface SignRequest {
  payload: string;
  env: Environment;
}

async function sign(settings: ReadonlyMap<string, string>, request: SignRequest): Promise<string> {
  const format = settings.get('gpg.format') ?? 'openpgp';
  if (format === 'ssh') return signWithSsh(settings, request);
  if (format !== 'openpgp') throw toolFailed(`signatures of the format ${format} are not supported`);
  const program = toProgram(settings.get('gpg.openpgp.program') ?? settings.get('gpg.program') ?? 'gpg');
  // A repository can name another committer, and so another key.
  const key = settings.get('user.signingkey') ?? settings.get('user.email');
  if (key === undefined) throw toolFailed('neither user.signingKey nor user.email is set');
  const { output, errors } = await run(program, ['--status-fd=2', '-bsau', key], request);
  if (!errors.includes('[GNUPG:] SIG_CREATED ')) throw toFailure(program, errors);
  return output;
}

/** @source ssh-keygen(1), `-Y sign` */
async function signWithSsh(settings: ReadonlyMap<string, string>, request: SignRequest): Promise<string> {
  const program = toProgram(settings.get('gpg.ssh.program') ?? 'ssh-keygen');
  const key = settings.get('user.signingkey');
  if (key === undefined) throw toolFailed('user.signingKey is not set');
  const folder = await mkdtemp(join(tmpdir(), 'klaus-sign-'));
  try {
    const isText = /^(?:key::|ssh-|ecdsa-|sk-)/.test(key);
    const file = isText ? join(folder, 'key') : toPath(key, request.env);
    if (isText) await writeFile(file, `${key.replace(/^key::/, '')}\n`, { mode: 0o600 });
    const payload = join(folder, 'commit');
    await writeFile(payload, request.payload, { mode: 0o600 });
    const { code, errors } = await run(
      program,
      ['-Y', 'sign', '-n', 'git', '-f', file, ...(isText ? ['-U'] : []), payload],
      {
        ...request,
        payload: '',
      },
    );
    if (code !== 0) throw toFailure(program, errors);
    return await readFile(`${payload}.sig`, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function toPath(path: string, env: Environment): string {
  return path.startsWith('~/') ? join(env['HOME'] ?? homedir(), path.slice(2)) : path;
}

/** @throws KlausError for a path that depends on the current folder, which a workspace could be. */
function toProgram(program: string): string {
  if (program.includes('/') && !isAbsolute(program)) throw toolFailed(`${program} is not an absolute path`);
  return program;
}

interface Ended {
  code: number | null;
  output: string;
  errors: string;
}

/** Runs a program of the user with the payload as its input. */
function run(program: string, args: readonly string[], { payload, env }: SignRequest): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: '/', env: toHostEnvironment(env), timeout: SIGN_MS });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()));
    // It may end before it has read everything.
    child.stdin.on('error', () => {});
    child.stdin.end(payload);
    child.once('error', (error) => reject(toolFailed(`${program} could not be started: ${error.message}`)));
    child.once('close', (code) => resolve({ code, output, errors }));
  });
}

function toFailure(program: string, errors: string): Error {
  const lines = errors.split('\n').filter((line) => line !== '' && !line.startsWith('[GNUPG:]'));
  return toolFailed(`${program}: ${lines.join('; ').slice(0, MAX_ERROR).toWellFormed() || 'no signature was made'}`);
}
