import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Starts programs that write logs to a folder, and ends them by their ids. */
export class Services {
  readonly #folder: string;
  readonly #running = new Map<string, ChildProcess>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  start(name: string, file: string, args: readonly string[], path?: string): void {
    const log = openSync(this.#log(name), 'a');
    const env = { ...process.env, ...(path === undefined ? {} : { PATH: `${path}:${process.env['PATH']}` }) };
    this.#running.set(name, spawn(file, args, { stdio: ['ignore', log, log], env, cwd: this.#folder }));
  }

  /** @throws Error with the end of the log. */
  check(name: string): void {
    const child = this.#running.get(name);
    if (child?.exitCode === null && child.signalCode === null) return;
    throw new Error(`${name} has ended: ${this.readLog(name)}`);
  }

  readLog(name: string): string {
    return readFileSync(this.#log(name), 'utf8').slice(-3_000);
  }

  /** @param signal Default SIGTERM, and SIGKILL after ten seconds. */
  async stop(name: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
  }

  #log(name: string): string {
    return join(this.#folder, `${name}.log`);
  }
}

export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
