import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { TestHome } from '../../test/fixtures/test-home.ts';

export type Served = Awaited<ReturnType<typeof serve>>;

/** Starts `klaus serve` and waits until it is ready. @param program Words that start Klaus. */
export async function serve(program: readonly string[], place: TestHome, env: Record<string, string>) {
  const [file = '', ...words] = program;
  const child = spawn(file, [...words, 'serve', '--port', '0', '--json'], {
    cwd: place.workspace,
    env: { ...place.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = JSON.parse(await readLine(child)) as { url: string; tokenFile: string };
  const token = readFileSync(line.tokenFile, 'utf8').trim();
  const url = new URL(line.url);
  const headers = { authorization: `Bearer ${token}` };
  return {
    ...{ pid: child.pid!, url, token, headers },
    /** Opens the stream of a session; resolves when everything that was in the log has come. */
    follow: (session: string) => follow(new URL(`/api/sessions/${session}/events?after=0`, url), headers),
    async [Symbol.asyncDispose](): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function follow(url: URL, headers: { authorization: string }): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = get(url, { headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`answer ${answer.statusCode} for ${url.pathname}`));
      let tail = '';
      answer.on('data', (chunk: Buffer) => {
        tail = (tail + chunk.toString('latin1')).slice(-300);
        if (tail.includes('event: ready')) resolve(answer);
      });
      answer.on('error', () => {});
    });
    asked.on('error', reject);
  });
}

/** The next line that a program says. @throws Error when it ends without one. */
export async function readLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error(`${child.spawnargs.join(' ').slice(0, 200)} ended without a word`);
}

/** User and system time of a process so far, in milliseconds. Source: proc(5), fields 14 and 15. */
export function readCpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Resident memory of a process in MB. */
export function readMemoryOf(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return (Number(kib) * 1_024) / 1e6;
}

/** `sysconf(_SC_CLK_TCK)` is 100 on every Linux that Node runs on. */
const TICK_MS = 10;
