import { spawn } from 'node:child_process';
import { toHostEnvironment } from './host-path.ts';

/** Name under which the keyring lists what Klaus stores. */
const SERVICE = 'klaus';
/** Milliseconds. The keyring may ask the user for its password. */
const STORE_MS = 60_000;
/** Milliseconds. */
const READ_MS = 10_000;

type Env = Readonly<Record<string, string | undefined>>;

/** Keys in the system's keyring. Every method fails closed: without a keyring nothing is stored or found. */
export interface Keyring {
  /** False if the key is not stored. */
  store(account: string, secret: string): Promise<boolean>;
  read(account: string): Promise<string | undefined>;
  /** False if the keyring cannot be reached or has no such key. */
  remove(account: string): Promise<boolean>;
}

/**
 * The keyring of the user, through the program of the system: `secret-tool` (libsecret) on Linux, `security` on macOS.
 * A secret is written to standard input, because other processes can read the arguments of a program.
 *
 * @returns Undefined on other systems.
 */
export function createKeyring(env: Env, platform: NodeJS.Platform = process.platform): Keyring | undefined {
  const run = (program: string, args: readonly string[], given: { input?: string; timeout: number }) =>
    runProgram(program, args, { ...given, env });
  if (platform === 'linux') {
    const attributes = (account: string): string[] => ['service', SERVICE, 'account', account];
    return {
      async store(account, secret) {
        const args = ['store', `--label=Klaus: ${account}`, ...attributes(account)];
        return (await run('secret-tool', args, { input: secret, timeout: STORE_MS })) !== undefined;
      },
      read: async (account) =>
        toSecret(await run('secret-tool', ['lookup', ...attributes(account)], { timeout: READ_MS })),
      remove: async (account) =>
        (await run('secret-tool', ['clear', ...attributes(account)], { timeout: STORE_MS })) !== undefined,
    };
  }
  if (platform === 'darwin') {
    const names = (account: string): string[] => ['-s', SERVICE, '-a', account];
    return {
      async store(account, secret) {
        // The interactive mode reads commands from standard input. Hexadecimal needs no quotes.
        const words = ['add-generic-password', '-U', ...names(JSON.stringify(account)), '-X', toHex(secret)];
        const input = `${words.join(' ')}\n`;
        await run('security', ['-i'], { input, timeout: STORE_MS });
        // It exits with 0 also when a command failed.
        return (await this.read(account)) === secret;
      },
      read: async (account) =>
        toSecret(await run('security', ['find-generic-password', ...names(account), '-w'], { timeout: READ_MS })),
      remove: async (account) =>
        (await run('security', ['delete-generic-password', ...names(account)], { timeout: STORE_MS })) !== undefined,
    };
  }
  return undefined;
}

function toHex(text: string): string {
  return Buffer.from(text).toString('hex');
}

function toSecret(output: string | undefined): string | undefined {
  return output?.trim() || undefined;
}

/** The standard output; undefined if the program is missing, fails or takes too long. */
function runProgram(
  program: string,
  args: readonly string[],
  { input = '', timeout, env }: { input?: string; timeout: number; env: Env },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: toHostEnvironment(env),
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout,
      killSignal: 'SIGKILL',
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (output += piece));
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? output : undefined));
    // A program that ends before it has read its input is reported by its exit code.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
