import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import type { BackgroundRequest, ExecRequest, ExecResult, PrestartRequest, Sandbox } from '@klaus/core/agent';
import { isKlausError, type CheckEnvironment } from '@klaus/core/protocol';
import { launchBackground } from '../background/launch.ts';
import { readIdentity } from '../background/process-files.ts';
import { saveProtection } from '../background/close-process.ts';
import { MARK_BEGUN } from '../background/supervisor.ts';
import { isFreezable, toGroupName, watchInBackground, watchProcess } from '../background/watch-process.ts';
import { inspectEnvironment, keepSuspects } from '../home/inspect.ts';
import { passEnvironment } from '../passed-environment.ts';
import { pipePool } from '../process/pipe-pool.ts';
import { ResourceGroup } from '../cgroup/resource-group.ts';
import { toExecLimits } from '../exec-limits.ts';
import { openLimitedNetwork, toRefused, toLimitedEnvironment } from '../network/limited-network.ts';
import { toWorkingFolder } from '../paths.ts';
import { pauseRunning } from '../process/running-commands.ts';
import { superviseWaiting, type SuperviseOptions } from '../process/supervise.ts';
import { spawnWaiting, type Launch, type WaitingCommand } from '../process/waiting-command.ts';
import { openProjectHome, type ProjectHome } from '../project-home.ts';
import { mergeMasks } from '../protection/bind-masks.ts';
import { closeWhilePaused, discardWhilePaused } from '../protection/close-while-paused.ts';
import { listHidden, type SeenBy } from '../protection/list-hidden.ts';
import { selectMasks, type Mask, type MaskSelection } from '../protection/masks.ts';
import type { ObjectStore } from '../protection/object-store.ts';
import { protectFolders, type Protection } from '../protection/protected-folders.ts';
import { sharesNetwork } from '../protection/sockets.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { isSeccompArch, toSeccompFilter } from '../seccomp/profile.ts';
import { withStillReadable } from '../readable-folders.ts';
import { toBesideView, toView, type WorkspaceView } from '../view.ts';
import { AheadSlot } from './prestart-slot.ts';
import { listShown, toBubblewrapArguments, toEnvironment } from './arguments.ts';
import { toOmitted, type ControlName } from './controls.ts';
import { openEtcFolder } from './etc-folder.ts';
import { forgetBubblewrap, type BubblewrapProgram } from './find-bubblewrap.ts';
import { canMountInside, toInsideMounts } from './mounts/inside-mounts.ts';
import {
  checkMounts,
  isPlaceGone,
  listUnenforced,
  noteInit,
  toLaunch,
  toWords,
  type LaunchOptions,
} from './spawn-request.ts';
import { findShownMasks } from './mounts/shown-masks.ts';
import {
  endAhead,
  isCurrent,
  isUnseen,
  listTargets,
  toKey,
  toReceivable,
  type Mounts,
  type StartedAhead,
} from './prestarted-sandbox.ts';
import type { Scene, Stage, StageRequest } from './sandbox-plan.ts';
import { takeToolchains, type Toolchains } from './toolchains/toolchains.ts';

const SECCOMP_FD = 4;
const MAX_ATTEMPTS = 3;

export interface BubblewrapInternals {
  /** Controls to leave out, to show that something depends on them. For tests of the driver alone. */
  without?: readonly ControlName[];
}

/** A command whose sandbox is being made, or is there. */
interface StartedCommand extends Pick<StartedAhead, 'command' | 'scene' | 'held'> {}

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
  readonly #ahead: AheadSlot;
  readonly #since = Date.now();
  #etc: string | undefined;
  #toolchains: Toolchains | undefined;
  #project: Promise<ProjectHome> | undefined;

  /** @param program From `findBubblewrap`. */
  constructor(options: SandboxOptions, program: BubblewrapProgram, internals: BubblewrapInternals = {}) {
    [this.#options, this.#program] = [options, program];
    this.#ahead = new AheadSlot(options.home);
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
        return await this.#exec(request, attempt > 1);
      } catch (error) {
        if (!isPlaceGone(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  prestart(request: PrestartRequest): Promise<() => Promise<boolean>> {
    return this.#ahead.put(this.#startAhead({ ...request, command: [] }));
  }

  /** Undefined when it could not be made: the command's own start tells why. */
  async #startAhead(request: StageRequest): Promise<StartedAhead | undefined> {
    const stage = await this.#prepare(request);
    const group = ResourceGroup.open(stage.limits, toOmitted(this.#without));
    const scene: Scene = { ...stage, group };
    try {
      if (!isUnseen(stage.protection)) throw new Error('a state of the workspace would show what is held');
      const mounts = await this.#toMounts(stage);
      const { words, held } = toWords(stage, { group, args: mounts.args, receives: true, without: this.#without });
      const launch = this.#toLaunch(scene, { words, inside: mounts.inside });
      // Of the command nothing is known yet: one without input gets none.
      const command = await spawnWaiting(launch, { takesStdin: true });
      const ahead = { key: toKey(request, stage.limits), mounts, scene, held, launch, command };
      if (await command.ready.catch(() => false)) return ahead;
      await endAhead(this.#options.home, ahead);
    } catch {
      await group.close();
      await discardWhilePaused(this.#options.home, stage.protection);
    } finally {
      stage.resume();
    }
    return undefined;
  }

  /** @param isPlain True: bubblewrap makes all mounts. */
  async #exec(request: ExecRequest, isPlain: boolean): Promise<ExecResult> {
    const ahead = await this.#ahead.take(request, toExecLimits(this.#options.limits, request.limits));
    const stage = await this.#prepare(request, { ahead, isPlain });
    const { protection, warnings, limits } = stage;
    try {
      const { command, scene, held } =
        (ahead && (await this.#adopt(ahead, stage))) ?? (await this.#launchNow(stage, request));
      const result = await this.#run(command, scene, { ...request, timeoutMs: limits.timeoutMs });
      for (const warning of await this.#ahead.close(protection, ahead !== undefined)) warnings.add(warning);
      return {
        ...result,
        ...toRefused(stage.gateway),
        unenforced: listUnenforced(held, this.#filter !== undefined),
        ...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
      };
    } catch (error) {
      await this.#lookAgain(error);
      throw error;
    } finally {
      stage.gateway?.close();
      stage.resume();
      await closeWhilePaused(this.#options.home, protection);
    }
  }

  async #launchNow(stage: Stage, { stdin }: ExecRequest): Promise<StartedCommand> {
    const group = ResourceGroup.open(stage.limits, toOmitted(this.#without));
    const { args, inside } = await this.#toMounts(stage);
    const { words, held } = toWords(stage, { group, args, without: this.#without });
    const scene: Scene = { ...stage, group };
    const command = await spawnWaiting(this.#toLaunch(scene, { words, inside }), { takesStdin: stdin !== undefined });
    return { command, scene, held };
  }

  /** Makes the sandbox that was started ahead that of a command; undefined, and it is ended, when it has become another. */
  async #adopt(ahead: StartedAhead, stage: Stage): Promise<StartedCommand | undefined> {
    const { scene, command, launch, held } = ahead;
    scene.protection?.discard(stage.protection?.stores);
    const script = toReceivable(stage.request, stage.cwd);
    if (script === undefined || !isCurrent(ahead, stage, await this.#toMounts(stage))) {
      await endAhead(this.#options.home, ahead);
      return undefined;
    }
    launch.script = script;
    return { command, scene: Object.assign(scene, stage, { expected: listTargets(ahead.mounts) }), held };
  }

  #toLaunch(scene: Scene, how: Pick<LaunchOptions, 'words' | 'inside'>): Launch {
    const options = this.#options;
    return toLaunch(scene, { ...how, file: this.#program.path, options, filter: this.#filter, without: this.#without });
  }

  async start(request: BackgroundRequest): Promise<void> {
    const { folder, survives, signal } = request;
    const stage = await this.#prepare(request, { isPlain: true });
    const { protection, view, readMasks, resume } = stage;
    const group = ResourceGroup.open(stage.limits, toOmitted(this.#without), toGroupName(folder));
    try {
      const { args } = await this.#toMounts(stage);
      const { words } = toWords(stage, { group, args, before: MARK_BEGUN, without: this.#without });
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
          checkMounts(init, stage, words);
          noteInit(init, { group: group.freezable, options: this.#options, request });
        },
        signal,
      });
      const watch = this.#options.masks && watchInBackground(folder, { init, view, group: group.freezable, readMasks });
      watchProcess(folder, { child, watch, protection, group });
    } catch (error) {
      await closeWhilePaused(this.#options.home, protection);
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
    const seenBy = { shown, network: sharesNetwork(identity.init.pid) };
    const readMasks = () => this.#readMasks(seenBy, view);
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

  /** @param how.ahead What it takes over from. */
  async #prepare(
    asked: StageRequest,
    { ahead, isPlain = false }: { ahead?: StartedAhead | undefined; isPlain?: boolean } = {},
  ): Promise<Stage> {
    const warnings = new Set<string>();
    const request = withStillReadable(asked, warnings);
    const limits = toExecLimits(this.#options.limits, request.limits);
    const cwd = toWorkingFolder(request, this.#options.workspace);
    const view = toView(request, this.#options.workspace);
    const project = await this.#openProject();
    const resume = await pauseRunning(this.#options.home, [this.#options.workspace, ...(request.writable ?? [])]);
    const protection = await this.#protect(request, view, ahead?.scene.protection?.stores).catch((error: unknown) => {
      resume();
      throw error;
    });
    const shown = listShown({ view, toolchains: this.#findToolchains(), project }, request);
    const seenBy = { ...request, shown, network: request.network === true && this.#options.hosts === undefined };
    const readMasks = () => this.#readMasks(seenBy, view, warnings);
    const gateway = await openLimitedNetwork(request, this.#options);
    const passed = toLimitedEnvironment(passEnvironment(this.#options, request, project), gateway);
    const isDivided = !isPlain && canMountInside();
    const known = { request, limits, cwd, view, project, isDivided };
    return { ...known, passed, gateway, protection, warnings, readMasks, resume };
  }

  async #run(
    command: WaitingCommand,
    scene: Scene,
    options: SuperviseOptions,
  ): Promise<Omit<ExecResult, 'unenforced'>> {
    const { group } = scene;
    try {
      const result = await superviseWaiting(command, options);
      const exceeded = group.exceeded();
      if (scene.failure !== undefined)
        exceeded.push(
          `masks: the command was ended because a secret file could not be hidden from it: ${scene.failure}`,
        );
      return { ...result, ...(exceeded.length > 0 ? { exceeded } : {}) };
    } finally {
      await command.launch.settle?.();
      await group.close(!this.#without.has('group-end'));
    }
  }

  async #protect(
    request: StageRequest,
    view: WorkspaceView,
    stores: readonly ObjectStore[] = [],
  ): Promise<Protection | undefined> {
    if (this.#without.has('protected-places') && this.#without.has('disarmed-repositories')) return undefined;
    const { home } = this.#options;
    const protect = [...((await this.#options.protect?.()) ?? []), ...(request.protect ?? [])];
    const known = (await this.#options.repositories?.()) ?? [];
    return this.#ahead.handOver((spare) =>
      protectFolders({
        ...{ view, home, protect, known },
        disarms: !this.#without.has('disarmed-repositories'),
        holds: !this.#without.has('protected-places'),
        survives: 'survives' in request && request.survives === true,
        stores: [...stores, ...spare],
        folders: (request.writable ?? []).map((path) => toBesideView(request, path)),
      }),
    );
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
    return (this.#toolchains ??= takeToolchains({ ...places, env }));
  }

  async #readMasks(
    seenBy: Omit<SeenBy, 'since'> & Pick<StageRequest, 'binds'>,
    view: WorkspaceView,
    warnings?: Set<string>,
  ): Promise<MaskSelection> {
    const paths = this.#without.has('masks') ? [] : await listHidden(this.#options, { ...seenBy, since: this.#since });
    const selection = selectMasks(paths, seenBy.shown, view);
    for (const warning of selection.warnings) warnings?.add(warning);
    return { ...selection, masks: mergeMasks(selection.masks, await this.#findBindMasks(seenBy, paths)) };
  }

  async #findBindMasks({ binds = [] }: Pick<StageRequest, 'binds'>, known: readonly string[]): Promise<Mask[]> {
    if (this.#without.has('masks')) return [];
    const asked = binds.map(({ path }) => path);
    return await findShownMasks(this.#options, { toolchains: this.#findToolchains().binds, asked, known });
  }

  async #toMounts(stage: Stage): Promise<Mounts> {
    const { request, view, project, protection, readMasks, isDivided } = stage;
    const toolchains = this.#findToolchains();
    const { masks } = await readMasks();
    const args = toBubblewrapArguments(
      {
        view,
        home: this.#options.home,
        project,
        etc: this.#openEtc(project),
        toolchains,
        masks,
        isDivided,
        env: toEnvironment(toolchains, project),
        passed: stage.passed,
        gateway: stage.gateway?.folder,
        user: this.#user,
        hasDisableUserns: this.#program.hasDisableUserns,
        without: this.#without,
        ...(protection ? { protection } : {}),
        ...(this.#filter ? { seccompFd: SECCOMP_FD } : {}),
      },
      request,
    );
    return { args, inside: isDivided ? toInsideMounts(project, masks) : [] };
  }
}
