import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecRequest, ExecResult, Sandbox } from '@klaus/core/agent';
import { isKlausError } from '@klaus/core/protocol';
import { ResourceGroup } from '../cgroup/resource-group.ts';
import { toExecLimits } from '../exec-limits.ts';
import { toArguments, toWorkingFolder } from '../paths.ts';
import { toPrelude, toUnenforced } from '../process/prelude.ts';
import { listDescendants, readProcess, sendSignal } from '../process/process-table.ts';
import type { ProcessRow } from '../process/process-table.ts';
import { supervise } from '../process/supervise.ts';
import type { Launch } from '../process/supervise.ts';
import { openProjectHome } from '../project-home.ts';
import type { ProjectHome } from '../project-home.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { isSeccompArch, toSeccompFilter } from '../seccomp/profile.ts';
import { toBubblewrapArguments } from './arguments.ts';
import { forgetBubblewrap } from './find-bubblewrap.ts';
import type { BubblewrapProgram } from './find-bubblewrap.ts';
import { findToolchains } from './toolchains.ts';
import type { Toolchains } from './toolchains.ts';

const SECCOMP_FD = 4;
const SETTLE_TRIES = 200;

/**
 * Commands in namespaces of their own, by the `bwrap` program (https://github.com/containers/bubblewrap). They see
 * the system's programs, the toolchains on PATH, the workspace and a home folder that belongs to the project;
 * they can write the workspace, that home and a temporary /tmp. Without `network` there is only a loopback.
 *
 * The exit code of a command that a signal ended is 128 plus the signal's number, as in a shell.
 * Use it on the main thread: the kernel ends a sandbox together with the thread that started it.
 */
export class BubblewrapSandbox implements Sandbox {
  readonly name = 'bubblewrap';
  readonly #options: SandboxOptions;
  readonly #program: BubblewrapProgram;
  readonly #user: { uid: number; gid: number };
  readonly #filter: Uint8Array | undefined;
  #toolchains: Toolchains | undefined;
  #project: Promise<ProjectHome> | undefined;

  /** @param program From `findBubblewrap`. */
  constructor(options: SandboxOptions, program: BubblewrapProgram) {
    this.#options = options;
    this.#program = program;
    // Not root inside: programs that find themselves root try to change owners.
    this.#user = { uid: process.getuid?.() || 1_000, gid: process.getgid?.() || 1_000 };
    this.#filter = isSeccompArch(process.arch) ? toSeccompFilter(process.arch) : undefined;
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    const limits = toExecLimits(this.#options.limits, request.limits);
    const cwd = toWorkingFolder(request, this.#options.workspace);
    const args = await this.#arguments(request);
    const group = ResourceGroup.open(limits);
    const held = group.controllers;
    const prelude = toPrelude({ limits, held });
    try {
      const launch = this.#launch(
        [...args, '--', '/bin/sh', '-c', prelude, 'klaus', cwd, ...toArguments(request.command)],
        group,
      );
      const result = await supervise(launch, { ...request, timeoutMs: limits.timeoutMs });
      const exceeded = group.exceeded();
      const unenforced = toUnenforced(held, process.getuid?.() === 0);
      if (!this.#filter) unenforced.push(`system calls: there is no filter for ${process.arch}`);
      return { ...result, unenforced, ...(exceeded.length > 0 ? { exceeded } : {}) };
    } catch (error) {
      // What was found to work at some time does not any more: look again next time.
      if (isKlausError(error) && error.code === 'sandbox.failed') await forgetBubblewrap(this.#options.home);
      throw error;
    } finally {
      await group.close();
    }
  }

  async #arguments(request: ExecRequest): Promise<string[]> {
    const { workspace, home } = this.#options;
    this.#project ??= openProjectHome(this.#options, this.#user);
    this.#toolchains ??= findToolchains({
      workspace,
      home,
      userHome: homedir(),
      execPath: process.execPath,
      env: process.env,
    });
    const project = await this.#project;
    const masks = (await this.#options.masks?.()) ?? [];
    const env = {
      PATH: this.#toolchains.path,
      HOME: project.home,
      USER: 'klaus',
      LOGNAME: 'klaus',
      SHELL: '/bin/sh',
      LANG: process.env['LANG'] ?? 'C.UTF-8',
      TERM: 'dumb',
      TMPDIR: '/tmp',
      ...this.#toolchains.env,
    };
    return toBubblewrapArguments(
      {
        workspace,
        home,
        project,
        toolchains: this.#toolchains,
        masks,
        env,
        user: this.#user,
        hasDisableUserns: this.#program.hasDisableUserns,
        ...(this.#filter ? { seccompFd: SECCOMP_FD } : {}),
      },
      request,
    );
  }

  #launch(args: readonly string[], group: ResourceGroup): Launch {
    let init: ProcessRow | undefined;
    return {
      file: this.#program.path,
      args,
      env: {},
      gate: 'descriptor',
      feeds: this.#filter ? [this.#filter] : [],
      onReady(pid) {
        const inside = listDescendants(pid);
        init = inside[0] === undefined ? undefined : readProcess(inside[0]);
        group.add(inside);
      },
      terminate(pid) {
        // The first process inside ignores it, and bubblewrap itself would take the rest down at once.
        for (const member of listDescendants(pid)) sendSignal(member, 'SIGTERM');
      },
      kill(pid) {
        if (init && readProcess(init.pid)?.startTime === init.startTime) sendSignal(init.pid, 'SIGKILL');
        sendSignal(pid, 'SIGKILL');
        group.kill();
      },
      async settle() {
        // With its first process a process namespace ends, and that one is gone last.
        for (let attempt = 0; init && attempt < SETTLE_TRIES; attempt++) {
          const row = readProcess(init.pid);
          if (!row || row.ended || row.startTime !== init.startTime) return;
          await sleep(attempt < 20 ? 1 : 10);
        }
      },
    };
  }
}
