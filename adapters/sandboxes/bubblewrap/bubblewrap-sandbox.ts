import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackgroundRequest, ExecRequest, ExecResult, Sandbox } from '@klaus/core/agent';
import { isKlausError, KlausError, type CheckEnvironment } from '@klaus/core/protocol';
import { launchBackground } from '../background/launch.ts';
import { readIdentity } from '../background/process-files.ts';
import { saveProtection } from '../background/settle-process.ts';
import { MARK_BEGUN } from '../background/supervisor.ts';
import { isFreezable, toGroupName, watchInBackground, watchProcess } from '../background/watch-process.ts';
import type { Controller } from '../cgroup/cgroup-mounts.ts';
import { inspectEnvironment, keepSuspects } from '../home/inspect.ts';
import { passEnvironment } from '../passed-environment.ts';
import { pipePool } from '../process/pipe-pool.ts';
import { ResourceGroup } from '../cgroup/resource-group.ts';
import { toExecLimits } from '../exec-limits.ts';
import { toArguments, toWorkingFolder } from '../paths.ts';
import { toPrelude, toUnenforced } from '../process/prelude.ts';
import { listDescendants, readProcess, sendSignal, type ProcessRow } from '../process/process-table.ts';
import { noteRunning, pauseRunning } from '../process/running-commands.ts';
import { supervise, type Launch } from '../process/supervise.ts';
import { openProjectHome, type ProjectHome } from '../project-home.ts';
import { mergeMasks } from '../protection/bind-masks.ts';
import { closeWhilePaused } from '../protection/close-paused.ts';
import { selectMasks, type Mask } from '../protection/masks.ts';
import { ProtectedWorkspace } from '../protection/protected-workspace.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { isSeccompArch, toSeccompFilter } from '../seccomp/profile.ts';
import { toView } from '../view.ts';
import type { WorkspaceView } from '../view.ts';
import { listShown, toBubblewrapArguments, toEnvironment } from './arguments.ts';
import { findForeignMount } from './check-mounts.ts';
import type { ControlName } from './controls.ts';
import { openEtcFolder } from './etc-folder.ts';
import { forgetBubblewrap, type BubblewrapProgram } from './find-bubblewrap.ts';
import { MaskWatch } from './mask-watch.ts';
import { findShownMasks } from './shown-masks.ts';
import { findToolchains } from './toolchains.ts';
import type { Scene, Stage, StageRequest } from './stage.ts';
import type { Toolchains } from './toolchains.ts';

const SECCOMP_FD = 4;
const SETTLE_TRIES = 200;

export interface BubblewrapInternals {
  /** Controls to leave out, to show that something depends on them. For tests of the driver alone. */
  without?: readonly ControlName[];
}

/** What is said when a place that was to be mounted has gone meanwhile, or another one is there. */
const GONE =
  /Can't (?:bind mount|find source path|mkdir|create file).*No such file or directory|was replaced while|could not be paused/s;
const MAX_ATTEMPTS = 3;

/**
 * Commands in namespaces of their own, by the `bwrap` program (https://github.com/containers/bubblewrap). They see
 * the system's programs, the toolchains on PATH, the workspace and a home folder that belongs to the session;
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
  readonly #without: ReadonlySet<ControlName>;
  #etc: string | undefined;
  #toolchains: Toolchains | undefined;
  #project: Promise<ProjectHome> | undefined;

  /** @param program From `findBubblewrap`. */
  constructor(options: SandboxOptions, program: BubblewrapProgram, internals: BubblewrapInternals = {}) {
    this.#options = options;
    this.#program = program;
    this.#without = new Set(internals.without);
    // Not root inside: programs that find themselves root try to change owners.
    this.#user = { uid: process.getuid?.() || 1_000, gid: process.getgid?.() || 1_000 };
    const filter = isSeccompArch(process.arch) ? toSeccompFilter(process.arch) : undefined;
    this.#filter = this.#without.has('seccomp') ? undefined : filter;
  }

  async warmUp(): Promise<void> {
    this.#findToolchains();
    await Promise.allSettled([
      pipePool.fill(),
      this.#findBindMasks({}, []),
      this.#openProject().then((project) => this.#openEtc(project)),
    ]);
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#exec(request);
      } catch (error) {
        // Another process took away what it had held at a protected place. Nothing of the command has begun.
        const isGone = isKlausError(error) && error.code === 'sandbox.failed' && GONE.test(error.message);
        if (!isGone || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async #exec(request: ExecRequest): Promise<ExecResult> {
    const stage = await this.#prepare(request);
    const { protection, warnings, limits } = stage;
    try {
      const group = ResourceGroup.open(limits, this.#omitted());
      const { words, held } = await this.#words(stage, group);
      const result = await this.#run(words, { ...stage, group }, limits.timeoutMs);
      for (const warning of await this.#close(protection)) warnings.add(warning);
      return {
        ...result,
        unenforced: this.#toUnenforced(held),
        ...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
      };
    } catch (error) {
      await this.#lookAgain(error);
      throw error;
    } finally {
      stage.resume();
      await this.#close(protection);
    }
  }

  #close(protection: ProtectedWorkspace | undefined): Promise<string[]> {
    return closeWhilePaused(this.#options.home, protection);
  }

  async start(request: BackgroundRequest): Promise<void> {
    const { folder, survives, signal } = request;
    const stage = await this.#prepare(request);
    const { protection, view, readMasks, resume } = stage;
    const group = ResourceGroup.open(stage.limits, this.#omitted(), toGroupName(folder));
    try {
      const { words } = await this.#words(stage, group, MARK_BEGUN);
      if (protection) saveProtection(folder, protection.saved);
      const { child, init } = await launchBackground({
        folder,
        file: this.#program.path,
        args: words,
        filter: this.#filter,
        env: stage.passed.variables,
        survives,
        timeoutMs: request.limits?.timeoutMs,
        groups: group.folders,
        enter: (pid) => group.enter(pid),
        check: (init) => {
          this.#checkMounts(init, stage, words);
          this.#noteRunning(init, group.freezable);
        },
        signal,
      });
      const watch = this.#options.masks && watchInBackground(folder, { init, view, group: group.freezable, readMasks });
      watchProcess(folder, { child, watch, protection, group });
    } catch (error) {
      await this.#close(protection);
      await group.close();
      await this.#lookAgain(error);
      throw error;
    } finally {
      resume();
    }
  }

  async attach(folder: string): Promise<void> {
    const identity = readIdentity(folder);
    if (!identity || !this.#options.masks) return;
    const view = toView({}, this.#options.workspace);
    const shown = listShown({ view, toolchains: this.#findToolchains(), project: await this.#openProject() }, {});
    const readMasks = async () => {
      const paths = (await this.#options.masks?.()) ?? [];
      const selection = selectMasks(paths, shown, view);
      return { ...selection, masks: mergeMasks(selection.masks, await this.#findBindMasks({}, paths)) };
    };
    const group = identity.groups.find(isFreezable);
    watchProcess(folder, { watch: watchInBackground(folder, { init: identity.init, view, group, readMasks }) });
  }

  async inspect(programs: readonly string[], folders: readonly string[]): Promise<CheckEnvironment> {
    const { source, suspects } = await this.#openProject();
    const { path } = this.#findToolchains();
    const { workspace } = this.#options;
    return inspectEnvironment({ workspace, home: source, suspects, path, programs, folders });
  }

  async suspect(paths: readonly string[]): Promise<void> {
    const { suspects } = await this.#openProject();
    keepSuspects({ workspace: this.#options.workspace, suspects }, paths);
  }

  /** What was found to work at some time may not any more: it is looked for again next time. */
  async #lookAgain(error: unknown): Promise<void> {
    if (isKlausError(error) && error.code === 'sandbox.failed') await forgetBubblewrap(this.#options.home);
  }

  async #prepare(request: StageRequest): Promise<Stage> {
    const { workspace } = this.#options;
    const limits = toExecLimits(this.#options.limits, request.limits);
    const cwd = toWorkingFolder(request, workspace);
    const view = toView(request, workspace);
    const project = await this.#openProject();
    const resume = await pauseRunning(this.#options.home, workspace);
    const protection = await this.#protect(request, view).catch((error: unknown) => {
      resume();
      throw error;
    });
    const warnings = new Set<string>();
    const shown = listShown({ view, toolchains: this.#findToolchains(), project }, request);
    const readMasks = async () => {
      const paths = this.#without.has('masks') ? [] : ((await this.#options.masks?.()) ?? []);
      const selection = selectMasks(paths, shown, view);
      for (const warning of selection.warnings) warnings.add(warning);
      return { ...selection, masks: mergeMasks(selection.masks, await this.#findBindMasks(request, paths)) };
    };
    const passed = passEnvironment(this.#options, request);
    return { request, limits, cwd, view, project, passed, protection, warnings, readMasks, resume };
  }

  /** @param before Shell lines just before the command. */
  async #words(
    stage: Stage,
    group: ResourceGroup,
    before: readonly string[] = [],
  ): Promise<{ words: string[]; held: Set<Controller> }> {
    const { request, limits, cwd, project } = stage;
    const args = await this.#arguments(stage, project);
    const held = new Set([...group.controllers, ...this.#omitted()]);
    const prelude = toPrelude({ limits, held, before, closesChannel: !this.#without.has('closed-channel') });
    const words = [...args, '--', '/bin/sh', '-c', prelude, 'klaus', cwd, ...toArguments(request.command)];
    return { words, held };
  }

  #toUnenforced(held: ReadonlySet<Controller>): string[] {
    const unenforced = toUnenforced(held, process.getuid?.() === 0);
    if (!this.#filter) unenforced.push(`system calls: there is no filter for ${process.arch}`);
    return unenforced;
  }

  async #run(words: readonly string[], scene: Scene, timeoutMs: number): Promise<Omit<ExecResult, 'unenforced'>> {
    const { request, group } = scene;
    const launch = this.#launch(words, scene);
    try {
      const result = await supervise(launch, { ...request, timeoutMs });
      const exceeded = group.exceeded();
      if (scene.failure !== undefined)
        exceeded.push(
          `masks: the command was ended because a secret file could not be hidden from it: ${scene.failure}`,
        );
      return { ...result, ...(exceeded.length > 0 ? { exceeded } : {}) };
    } finally {
      await launch.settle?.();
      await group.close(!this.#without.has('group-end'));
    }
  }

  #omitted(): Set<Controller> {
    const omitted = new Set<Controller>();
    if (this.#without.has('memory-limit')) omitted.add('memory');
    if (this.#without.has('process-limit')) omitted.add('pids');
    return omitted;
  }

  async #protect(request: StageRequest, view: WorkspaceView): Promise<ProtectedWorkspace | undefined> {
    if (this.#without.has('protected-places') && this.#without.has('disarmed-repositories')) return undefined;
    const protect = [...((await this.#options.protect?.()) ?? []), ...(request.protect ?? [])];
    const disarms = !this.#without.has('disarmed-repositories');
    return ProtectedWorkspace.open({
      view,
      home: this.#options.home,
      protect,
      disarms,
      holds: !this.#without.has('protected-places'),
      known: (await this.#options.repositories?.()) ?? [],
      survives: 'survives' in request && request.survives === true,
    });
  }

  #openEtc(project: ProjectHome): string {
    const { path } = this.#findToolchains();
    // A later Klaus may have cleared it away.
    if (this.#etc === undefined || !existsSync(this.#etc)) this.#etc = openEtcFolder(project, path);
    return this.#etc;
  }

  async #openProject(): Promise<ProjectHome> {
    const opened = await (this.#project ??= openProjectHome({ ...this.#options, hasUserCaches: true }, this.#user));
    if (existsSync(opened.source)) return opened;
    // Removed because nobody seemed to use it, or with its session.
    return (this.#project = openProjectHome({ ...this.#options, hasUserCaches: true }, this.#user));
  }

  #findToolchains(): Toolchains {
    const { workspace, home, env = process.env } = this.#options;
    const places = { workspace, home, userHome: homedir(), execPath: process.execPath };
    return (this.#toolchains ??= findToolchains({ ...places, env }));
  }

  async #findBindMasks({ binds = [] }: Pick<StageRequest, 'binds'>, known: readonly string[]): Promise<Mask[]> {
    if (this.#without.has('masks')) return [];
    const asked = binds.map(({ path }) => path);
    return await findShownMasks(this.#options, { toolchains: this.#findToolchains().binds, asked, known });
  }

  async #arguments(scene: Stage, project: ProjectHome): Promise<string[]> {
    const { request, view, protection, readMasks } = scene;
    const toolchains = this.#findToolchains();
    return toBubblewrapArguments(
      {
        view,
        home: this.#options.home,
        project,
        etc: this.#openEtc(project),
        toolchains,
        masks: (await readMasks()).masks,
        env: toEnvironment(toolchains, project),
        passed: scene.passed,
        user: this.#user,
        hasDisableUserns: this.#program.hasDisableUserns,
        without: this.#without,
        ...(protection ? { protection } : {}),
        ...(this.#filter ? { seccompFd: SECCOMP_FD } : {}),
      },
      request,
    );
  }

  #launch(args: readonly string[], scene: Scene): Launch {
    const { group } = scene;
    let init: ProcessRow | undefined;
    let watch: MaskWatch | undefined;
    let forget: (() => void) | undefined;
    const kill = (pid: number) => {
      if (init && readProcess(init.pid)?.startTime === init.startTime) sendSignal(init.pid, 'SIGKILL');
      sendSignal(pid, 'SIGKILL');
      if (!this.#without.has('group-end')) group.kill();
    };
    return {
      file: this.#program.path,
      args,
      env: this.#without.has('clear-environment') ? process.env : scene.passed.variables,
      gate: 'descriptor',
      feeds: this.#filter ? [this.#filter] : [],
      onSpawn: (pid) => group.enter(pid),
      onReady: (pid) => {
        const inside = listDescendants(pid);
        init = inside[0] === undefined ? undefined : readProcess(inside[0]);
        group.add([pid, ...inside]);
        this.#checkMounts(init?.pid, scene, args);
        forget = this.#noteRunning(init?.pid, group.freezable);
        scene.resume();
        if (init && this.#options.masks) watch = this.#watchMasks(scene, { pid, inside: init.pid, kill });
      },
      terminate(pid) {
        // The first process inside ignores it, and bubblewrap itself would take the rest down at once.
        for (const member of listDescendants(pid)) sendSignal(member, 'SIGTERM');
      },
      kill,
      async settle() {
        await watch?.close();
        forget?.();
        // With its first process a process namespace ends, and that one is gone last.
        for (let attempt = 0; init && attempt < SETTLE_TRIES; attempt++) {
          const row = readProcess(init.pid);
          if (!row || row.ended || row.startTime !== init.startTime) return;
          await sleep(attempt < 20 ? 1 : 10);
        }
      },
    };
  }

  #noteRunning(init: number | undefined, group: string | undefined): (() => void) | undefined {
    const { home, workspace } = this.#options;
    const row = init === undefined ? undefined : readProcess(init);
    return row && noteRunning(home, { pid: row.pid, startTime: row.startTime, workspace, group });
  }

  /** @throws KlausError `sandbox.failed` before the command has begun. */
  #checkMounts(init: number | undefined, { view, protection }: Stage, words: readonly string[]): void {
    const folders = [view.target, ...(protection?.external ?? []).map(({ target }) => target)];
    const place = init === undefined ? view.target : findForeignMount(init, { view, folders, words });
    if (place !== undefined) throw new KlausError('sandbox.failed', `${place} was replaced while the sandbox was made`);
  }

  #watchMasks(scene: Scene, at: { pid: number; inside: number; kill: (pid: number) => void }): MaskWatch {
    return new MaskWatch({
      pid: at.inside,
      view: scene.view,
      folder: scene.group.freezable,
      members: () => listDescendants(at.pid),
      masks: async () => (await scene.readMasks()).masks,
      onFailure: (reason) => {
        scene.failure = reason;
        at.kill(at.pid);
      },
    });
  }
}
