import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { toHostEnvironment } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';
import { COMMAND_SCRIPT } from '../container/scripts.ts';
import type { SlotContainer } from '../container/warm-slot.ts';
import { sendSignal } from '../process/process-table.ts';
import { spawnWaiting, type WaitingCommand } from '../process/waiting-command.ts';
import type { ContainerPlan } from './arguments.ts';
import { runDocker } from './docker-cli.ts';
import type { Identity } from '../container/identity.ts';
import { HOLDER_SCRIPT, TERMINATE_SCRIPT } from './scripts.ts';

const START_MS = 30_000;
const ANSWER_MS = 5_000;
const CHECKS = 20;
/** Checks while the process of the next command starts. */
const START_CHECKS = 200;
const PAUSE_MS = 25;

/** The message of the client when the engine could not start the process. */
const NOT_STARTED = /^OCI runtime exec failed: /;

/** What the holder of a container reports. */
interface Report {
  processes: number;
  mounts: number;
  /** Temporary files and System V objects; at the start those of the engine. */
  files: number;
}

type Client = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * A container in which commands run one after the other. It ends when the standard input of its `docker run` client
 * closes: a killed Klaus process leaves no container behind, even if the client still runs.
 */
export class Container implements SlotContainer {
  readonly name: string;
  readonly key: string;
  readonly user: Identity;
  readonly #client: Client;
  #answers = '';
  #errors = '';
  #first: Report | undefined;
  #end: Promise<void> | undefined;
  #hasEnded = false;
  readonly #since = new Date();
  /** The process of the next command, which waits for its script. */
  #next: Promise<WaitingCommand> | undefined;
  #started: WaitingCommand | undefined;

  private constructor(plan: ContainerPlan, labels: Readonly<Record<string, string>>) {
    this.name = `klaus-${randomUUID()}`;
    this.key = plan.key;
    this.user = plan.user;
    const args = ['run', '--rm', '--init', '--interactive', '--pull', 'never', '--name', this.name];
    for (const [name, value] of Object.entries(labels)) args.push('--label', `${name}=${value}`);
    args.push(...plan.options, '--entrypoint', '/bin/sh', plan.image, '-c', HOLDER_SCRIPT);
    this.#client = spawn('docker', args, { stdio: ['pipe', 'pipe', 'pipe'], env: toHostEnvironment() });
    this.#client.stdin.on('error', () => undefined);
    this.#client.stdout.on('data', (chunk: Buffer) => (this.#answers += chunk.toString('latin1')));
    this.#client.stderr.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
    this.#client.once('error', (error) => {
      this.#errors += error.message;
      this.#hasEnded = true;
    });
    this.#client.once('close', () => (this.#hasEnded = true));
  }

  /**
   * Resolves when commands can run.
   *
   * @param labels Labels of the container.
   * @throws KlausError `sandbox.failed` when the engine cannot start it.
   */
  static async start(plan: ContainerPlan, labels: Readonly<Record<string, string>>): Promise<Container> {
    const container = new Container(plan, labels);
    const report = await container.#ask(START_MS);
    if (!report) {
      const message = container.#errors.trim() || 'the container did not start';
      await container.end();
      throw new KlausError('sandbox.failed', message);
    }
    container.#first = report;
    return container;
  }

  /**
   * True if the next command finds the container as the first one did: no process, no file, and no mount was removed,
   * which happens when the host replaces a hidden or protected file.
   */
  async isFresh(): Promise<boolean> {
    const checks = this.#next ? START_CHECKS : CHECKS;
    for (let attempt = 0; attempt < checks && !this.#end && !this.#started?.hasExited; attempt++) {
      const report = await this.#ask(ANSWER_MS);
      if (!report) return false;
      if (report.files !== this.#first?.files || report.mounts !== this.#first?.mounts) return false;
      // The engine may not have collected the last process yet, or not have started the next one.
      if (report.processes === (this.#first?.processes ?? 0) + (this.#next ? 1 : 0)) return true;
      await sleep(PAUSE_MS);
    }
    return false;
  }

  /**
   * Starts the process of the next command, which takes most of the time of a command. It waits and does not keep this
   * process running. Never rejects: {@link takeCommand} reports the failure.
   */
  async prepare(): Promise<void> {
    this.#next ??= this.#spawn();
    try {
      this.#started = await this.#next;
      this.#started.hold(false);
      if (this.#end) this.#started.close();
    } catch {
      // Reported later.
    }
  }

  /** The process for one command, which waits for `go` and the script in its `request`. */
  async takeCommand(): Promise<WaitingCommand> {
    const next = this.#next ?? this.#spawn();
    this.#next = undefined;
    this.#started = undefined;
    const command = await next;
    command.hold(true);
    return command;
  }

  #spawn(): Promise<WaitingCommand> {
    const { uid, gid } = this.user;
    let isKilled = false;
    let isAlive = true;
    return spawnWaiting(
      {
        file: 'docker',
        args: ['exec', '--interactive', '--user', `${uid}:${gid}`, this.name, '/bin/sh', '-c', COMMAND_SCRIPT],
        env: toHostEnvironment(),
        startPipe: 'stdin',
        terminate: () => this.#terminate(),
        kill: (pid) => {
          isKilled = true;
          // The end of the container ends the client too. Killing only the client would leave the processes.
          void this.end().then(() => sendSignal(pid, 'SIGKILL'));
        },
        waitForEnd: async () => {
          if (isKilled) await this.end();
          // A command that uses all memory can end the other processes of its container, too.
          else isAlive = (await this.#ask(ANSWER_MS)) !== undefined || (await this.hasReachedMemory());
        },
        // The output of a command cannot show this: it may contain any message of the engine.
        isDriverFailure: (_, stderr) => !isAlive || NOT_STARTED.test(stderr),
      },
      { takesStdin: true },
    );
  }

  /** True if the kernel has ended a process of this container at its memory limit. */
  async hasReachedMemory(): Promise<boolean> {
    const filters = ['--filter', `container=${this.name}`, '--filter', 'event=oom'];
    const until = new Date().toISOString();
    const since = this.#since.toISOString();
    const { stdout } = await runDocker(['events', ...filters, '--since', since, '--until', until, '--format', 'oom']);
    return stdout !== '';
  }

  /** Sends SIGTERM to all processes of the command. */
  #terminate(): void {
    const { uid, gid } = this.user;
    void runDocker(['exec', '--user', `${uid}:${gid}`, this.name, '/bin/sh', '-c', TERMINATE_SCRIPT]);
  }

  /** Kills all processes and removes the container. Idempotent; never rejects. */
  end(): Promise<void> {
    return (this.#end ??= this.#remove());
  }

  async #remove(): Promise<void> {
    this.#client.stdin.destroy();
    await removeContainer(this.name);
    this.#started?.close();
    this.#client.kill('SIGKILL');
    for (const stream of [this.#client.stdout, this.#client.stderr]) stream.destroy();
  }

  async #ask(timeoutMs: number): Promise<Report | undefined> {
    const { stdin, stdout } = this.#client;
    this.#hold(true);
    this.#answers = '';
    try {
      if (this.#hasEnded || stdin.destroyed) return undefined;
      stdin.write('\n');
      return await new Promise<Report | undefined>((resolve) => {
        const finish = (report: Report | undefined) => {
          clearTimeout(timer);
          stdout.off('data', check);
          this.#client.off('close', onClose);
          resolve(report);
        };
        const check = () => {
          const found = /^(\d+) (\d+) (\d+)\n/.exec(this.#answers);
          if (!found) return;
          finish({ processes: Number(found[1]), mounts: Number(found[2]), files: Number(found[3]) });
        };
        const onClose = () => finish(undefined);
        const timer = setTimeout(onClose, timeoutMs);
        stdout.on('data', check);
        this.#client.once('close', onClose);
      });
    } finally {
      this.#hold(false);
    }
  }

  /** An idle container does not keep this process running. */
  #hold(isHeld: boolean): void {
    const streams = [this.#client.stdin, this.#client.stdout, this.#client.stderr] as unknown as Socket[];
    for (const each of [this.#client, ...streams]) {
      if (isHeld) each.ref();
      else each.unref();
    }
  }
}

/** Removes a container and waits until the engine has done so. */
async function removeContainer(name: string): Promise<void> {
  for (let attempt = 0; attempt < CHECKS; attempt++) {
    const { stderr } = await runDocker(['rm', '--force', '--volumes', name]);
    if (!stderr.includes('already in progress')) return;
    await sleep(PAUSE_MS);
  }
}
