import type { BackgroundRequest, ExecRequest, ExecResult, PrestartRequest, Sandbox } from '@klaus/core/agent';
import { isKlausError, type CheckEnvironment } from '@klaus/core/protocol';
import { saveProtection } from '../background/close-process.ts';
import { launchBackground } from '../background/launch.ts';
import { readIdentity } from '../background/process-files.ts';
import { MARK_BEGUN } from '../background/supervisor.ts';
import { isFreezable, toGroupName, watchInBackground, watchProcess } from '../background/watch-process.ts';
import { ResourceGroup } from '../cgroup/resource-group.ts';
import { toExecLimits } from '../exec-limits.ts';
import { inspectEnvironment, saveSuspects } from '../home/inspect.ts';
import { pipePool } from '../process/pipe-pool.ts';
import { supervise, type SuperviseOptions } from '../process/supervise.ts';
import { spawnWaiting } from '../process/waiting-command.ts';
import { closeWhilePaused, discardWhilePaused } from '../protection/close-while-paused.ts';
import { isInvisible } from '../protection/invisible.ts';
import { sharesNetwork } from '../protection/sockets.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { isSeccompArch, toSeccompFilter } from '../seccomp/profile.ts';
import { toView } from '../view.ts';
import { listShown } from './arguments.ts';
import { toOmitted, type ControlName } from './controls.ts';
import { forgetBubblewrap, type BubblewrapProgram } from './find-bubblewrap.ts';
import { PrestartSlot } from './prestart-slot.ts';
import {
  endPrestarted,
  isCurrent,
  listTargets,
  toKey,
  toReading,
  toStartScript,
  type PrestartedSandbox,
  type StartedSandbox,
} from './prestarted-sandbox.ts';
import type { SandboxPlan, SandboxRequest, SandboxRun } from './sandbox-plan.ts';
import { SandboxPlanner, type PlannerOptions } from './sandbox-planner.ts';
import {
  checkMounts,
  isRetryable,
  listUnenforced,
  registerInit,
  toCommandLine,
  toSpawnRequest,
} from './spawn-request.ts';

const MAX_ATTEMPTS = 3;

/**
 * Runs commands in namespaces of their own, by the `bwrap` program (https://github.com/containers/bubblewrap).
 * Commands see the system's programs, the toolchains on PATH, the workspace, and the home folder of the session. They
 * can write the workspace, that home and a temporary /tmp. Without `network` there is only a loopback interface.
 *
 * The exit code of a command that a signal ended is 128 plus the signal's number, as in a shell.
 * Use it on the main thread: the kernel ends a sandbox together with the thread that started it.
 */
export class BubblewrapSandbox implements Sandbox {
  readonly name = 'bubblewrap';
  readonly #options: SandboxOptions;
  readonly #program: BubblewrapProgram;
  readonly #settings: PlannerOptions;
  readonly #planner: SandboxPlanner;
  readonly #readingSlot: PrestartSlot;
  /** The last request that only read. Its sandbox is started again together with that of a command. */
  #reading: SandboxRequest | undefined;
  #lastPrestart: symbol | undefined;

  /** @param internals.without Controls to leave out, which shows what depends on them. Only for tests of the driver. */
  constructor(
    options: SandboxOptions,
    program: BubblewrapProgram,
    internals: { without?: readonly ControlName[] } = {},
  ) {
    [this.#options, this.#program] = [options, program];
    this.#readingSlot = new PrestartSlot(options.home);
    const without = new Set(internals.without);
    const filter = isSeccompArch(process.arch) ? toSeccompFilter(process.arch) : undefined;
    this.#settings = {
      sandbox: options,
      slot: new PrestartSlot(options.home),
      filter: without.has('seccomp') ? undefined : filter,
      hasDisableUserns: program.hasDisableUserns,
      without,
    };
    this.#planner = new SandboxPlanner(this.#settings);
  }

  async warmUp(): Promise<void> {
    await Promise.allSettled([pipePool.fill(), this.#planner.warmUp()]);
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#exec(request, attempt > 1);
      } catch (error) {
        if (!isRetryable(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async prestart(request: PrestartRequest): Promise<() => Promise<boolean>> {
    const own = (this.#lastPrestart = Symbol());
    const end = await this.#settings.slot.put(this.#prestart({ ...request, command: [] }));
    const reading = this.#reading;
    if (reading) await this.#readingSlot.fill(() => this.#prestart(reading));
    return async () => {
      // A later call has taken over the sandbox that only reads.
      if (this.#lastPrestart === own) await this.#readingSlot.clear();
      return end();
    };
  }

  /** Undefined when the sandbox cannot be made: the start of the command itself then reports why. */
  async #prestart(request: SandboxRequest): Promise<PrestartedSandbox | undefined> {
    const plan = await this.#planner.plan(request);
    try {
      if (!isInvisible(plan.protection)) throw new Error('a snapshot of the workspace would show the placeholders');
      // Standard input is open because the command is not known yet; a command without input closes it.
      const { inherits = false } = request;
      const started = await this.#spawn(plan, { takesStdin: true, inherits, receivesCommand: true });
      const prestarted = { ...started, key: toKey(request, plan.limits) };
      if (await started.command.ready.catch(() => false)) return prestarted;
      await endPrestarted(this.#options.home, prestarted);
    } catch {
      await discardWhilePaused(this.#options.home, plan.protection);
    } finally {
      plan.resume();
    }
    return undefined;
  }

  /** @param isPlain True: bubblewrap makes all mounts itself. */
  async #exec(request: ExecRequest, isPlain: boolean): Promise<ExecResult> {
    const { filter, slot } = this.#settings;
    const { inherits = false, onlyReads = false } = request;
    const ahead = onlyReads ? this.#readingSlot : slot;
    const prestarted = await ahead.take(request, toExecLimits(this.#options.limits, request.limits));
    const plan = await this.#planner.plan(request, { stores: prestarted?.run.protection?.stores, isPlain });
    const { protection, warnings, limits } = plan;
    if (onlyReads && !protection) this.#reading = toReading(request);
    try {
      const started =
        (prestarted && (await this.#adopt(prestarted, plan))) ??
        (await this.#spawn(plan, { takesStdin: request.stdin !== undefined, inherits }));
      const result = await this.#supervise(started, { ...request, timeoutMs: limits.timeoutMs });
      for (const warning of await slot.close(protection, prestarted !== undefined && !onlyReads)) warnings.add(warning);
      return {
        ...result,
        ...(plan.gateway ? { reachedHosts: [...plan.gateway.reached] } : {}),
        ...(plan.gateway?.refused.size ? { refusedHosts: [...plan.gateway.refused] } : {}),
        unenforced: listUnenforced(started.controllers, filter !== undefined),
        ...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
      };
    } catch (error) {
      await this.#forgetProgram(error);
      throw error;
    } finally {
      plan.gateway?.close();
      plan.resume();
      await closeWhilePaused(this.#options.home, protection);
    }
  }

  /** Starts the process of a sandbox, which waits before its command begins. */
  async #spawn(
    plan: SandboxPlan,
    {
      takesStdin,
      inherits = false,
      receivesCommand = false,
    }: { takesStdin: boolean; inherits?: boolean; receivesCommand?: boolean },
  ): Promise<StartedSandbox> {
    const { without } = this.#settings;
    const group = ResourceGroup.open(plan.limits, toOmitted(without));
    try {
      const run: SandboxRun = { ...plan, group };
      const mounts = await this.#planner.toMounts(plan);
      const { words, controllers } = toCommandLine(plan, { group, args: mounts.args, receivesCommand, without });
      const { inside } = mounts;
      const spawnRequest = toSpawnRequest(run, { ...this.#settings, file: this.#program.path, words, inside });
      const command = await spawnWaiting(spawnRequest, { takesStdin, inherits });
      return { mounts, run, controllers, command };
    } catch (error) {
      await group.close();
      throw error;
    }
  }

  /** Gives a prestarted sandbox its command. Ends it and returns undefined when a new sandbox would differ from it. */
  async #adopt(prestarted: PrestartedSandbox, plan: SandboxPlan): Promise<StartedSandbox | undefined> {
    const { run, command, mounts } = prestarted;
    run.protection?.discard(plan.protection?.stores);
    const script = toStartScript(plan.request, plan.cwd);
    if (script === undefined || !isCurrent(prestarted, plan, await this.#planner.toMounts(plan))) {
      await endPrestarted(this.#options.home, prestarted);
      return undefined;
    }
    command.request.script = script;
    return { ...prestarted, run: Object.assign(run, plan, { expected: listTargets(mounts) }) };
  }

  async #supervise(
    { command, run }: StartedSandbox,
    options: SuperviseOptions,
  ): Promise<Omit<ExecResult, 'unenforced'>> {
    const { group } = run;
    try {
      const result = await supervise(command, options);
      const exceeded = group.exceeded();
      if (run.failure !== undefined) exceeded.push(run.failure);
      return { ...result, ...(exceeded.length > 0 ? { exceeded } : {}) };
    } finally {
      await command.request.waitForEnd?.();
      await group.close(!this.#settings.without.has('group-end'));
    }
  }

  async start(request: BackgroundRequest): Promise<void> {
    const { folder, survives, signal } = request;
    const plan = await this.#planner.plan(request, { isPlain: true });
    const { protection, view, readMasks, resume } = plan;
    const { filter, without } = this.#settings;
    const group = ResourceGroup.open(plan.limits, toOmitted(without), toGroupName(folder));
    try {
      const { args } = await this.#planner.toMounts(plan);
      const { words } = toCommandLine(plan, { group, args, before: MARK_BEGUN, without });
      if (protection) saveProtection(folder, protection.saved);
      const { child, init } = await launchBackground({
        folder,
        file: this.#program.path,
        args: words,
        filter,
        env: plan.passed.variables,
        survives,
        timeoutMs: request.limits?.timeoutMs,
        groups: group.folders,
        enter: (pid) => group.enter(pid),
        check: (init) => {
          checkMounts(init, plan, words);
          registerInit(init, this.#options, { ...request, group: group.freezable });
        },
        signal,
      });
      const watch = this.#options.masks && watchInBackground(folder, { init, view, group: group.freezable, readMasks });
      watchProcess(folder, { child, watch, protection, group });
    } catch (error) {
      await closeWhilePaused(this.#options.home, protection);
      await group.close();
      await this.#forgetProgram(error);
      throw error;
    } finally {
      resume();
    }
  }

  async attach(folder: string): Promise<void> {
    const identity = readIdentity(folder);
    if (!identity || !this.#options.masks) return;
    const planner = this.#planner;
    const view = toView({}, this.#options.workspace);
    const shown = listShown({ view, toolchains: planner.findToolchains(), project: await planner.openProject() }, {});
    const scope = { shown, network: sharesNetwork(identity.init.pid) };
    const readMasks = () => planner.readMasks(scope, view);
    const group = identity.groups.find(isFreezable);
    watchProcess(folder, { watch: watchInBackground(folder, { init: identity.init, view, group, readMasks }) });
  }

  async inspect(programs: readonly string[], folders: readonly string[]): Promise<CheckEnvironment> {
    const { source, suspects } = await this.#planner.openProject();
    const { path } = this.#planner.findToolchains();
    const { workspace } = this.#options;
    return inspectEnvironment({ workspace, home: source, suspects, path, programs, folders });
  }

  async suspect(paths: readonly string[]): Promise<void> {
    const { suspects } = await this.#planner.openProject();
    saveSuspects({ workspace: this.#options.workspace, suspects }, paths);
  }

  /** The program may have stopped working: the next search tries it again. */
  async #forgetProgram(error: unknown): Promise<void> {
    if (isKlausError(error) && error.code === 'sandbox.failed') await forgetBubblewrap(this.#options.home);
  }
}
