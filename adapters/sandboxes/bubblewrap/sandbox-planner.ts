import { existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { passEnvironment } from '../passed-environment.ts';
import { toExecLimits } from '../exec-limits.ts';
import { canListenInside } from '../network/open-listener.ts';
import { openLimitedNetwork, toLimitedEnvironment } from '../network/limited-network.ts';
import { toWorkingFolder } from '../paths.ts';
import { pauseRunning } from '../process/running-commands.ts';
import { openProjectHome, type ProjectHome } from '../project-home.ts';
import { findBindMasks, mergeMasks, toUserHomes } from '../protection/bind-masks.ts';
import { listHidden, type MaskScope } from '../protection/list-hidden.ts';
import { selectMasks, type Mask, type MaskSelection } from '../protection/masks.ts';
import type { ObjectStore } from '../protection/object-store.ts';
import { protectFolders, type Protection } from '../protection/protected-folders.ts';
import { dropReplacedFolders } from '../readable-folders.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { toBesideView, toView, type WorkspaceView } from '../view.ts';
import { listShown, toBubblewrapArguments, toEnvironment } from './arguments.ts';
import type { ControlName } from './controls.ts';
import { openEtcFolder } from './etc-folder.ts';
import { canMountInside, toInsideMounts } from './mounts/inside-mounts.ts';
import type { PrestartSlot } from './prestart-slot.ts';
import type { Mounts } from './prestarted-sandbox.ts';
import type { SandboxPlan, SandboxRequest } from './sandbox-plan.ts';
import { takeToolchains, type Toolchains } from './toolchains/toolchains.ts';

const SECCOMP_FD = 4;
/** Folders that are mounted with the system, but contain files of administrators. */
const LOCAL = ['/usr/local', '/usr/etc'];

export interface PlannerOptions {
  sandbox: SandboxOptions;
  slot: PrestartSlot;
  filter: Uint8Array | undefined;
  /** See `BubblewrapProgram`. */
  hasDisableUserns: boolean;
  without: ReadonlySet<ControlName>;
}

export interface PlanOptions {
  /** Object stores of a prestarted sandbox that the command may take over. */
  stores?: readonly ObjectStore[];
  /** True: bubblewrap makes all mounts itself. Default false. */
  isPlain?: boolean;
}

/** Prepares the sandboxes of one `BubblewrapSandbox`: home, protection, masks, environment and mounts. */
export class SandboxPlanner {
  readonly #options: SandboxOptions;
  readonly #settings: PlannerOptions;
  readonly #user: { uid: number; gid: number };
  readonly #since = Date.now();
  #etc: string | undefined;
  #toolchains: Toolchains | undefined;
  #project: Promise<ProjectHome> | undefined;

  constructor(settings: PlannerOptions) {
    this.#settings = settings;
    this.#options = settings.sandbox;
    // Commands do not run as root: programs that run as root try to change owners.
    this.#user = { uid: process.getuid?.() || 1_000, gid: process.getgid?.() || 1_000 };
  }

  async warmUp(): Promise<void> {
    this.findToolchains();
    await Promise.allSettled([
      this.#findBindMasks({}, []),
      this.openProject().then((project) => this.#openEtc(project)),
    ]);
  }

  async plan(request: SandboxRequest, { stores = [], isPlain = false }: PlanOptions = {}): Promise<SandboxPlan> {
    const { workspace, home, hosts } = this.#options;
    const warnings = new Set<string>();
    const given = dropReplacedFolders(request, warnings);
    const isReadOnly = canBeReadOnly(given, workspace);
    const checked = isReadOnly ? toReadOnly(given, workspace) : given;
    const limits = toExecLimits(this.#options.limits, checked.limits);
    const cwd = toWorkingFolder(checked, workspace);
    const view = toView(checked, workspace);
    const project = await this.openProject();
    const resume = await pauseRunning(home, [workspace, ...(checked.writable ?? [])]);
    const protecting = isReadOnly ? undefined : this.#protect(checked, view, stores);
    const protection = await protecting?.catch((error: unknown) => {
      resume();
      throw error;
    });
    const shown = listShown({ view, toolchains: this.findToolchains(), project }, checked);
    const scope = { ...checked, shown, network: checked.network === true && hosts === undefined };
    const readMasks = () => this.readMasks(scope, view, warnings);
    const gateway = await openLimitedNetwork(checked, this.#options);
    const passed = toLimitedEnvironment(passEnvironment(this.#options, checked, project), gateway);
    const mountsInside = !isPlain && canMountInside();
    const listensInside = !isPlain && canListenInside();
    if (!listensInside) await gateway?.serve();
    const known = { request: checked, limits, cwd, view, project, mountsInside, listensInside };
    return { ...known, passed, gateway, protection, warnings, readMasks, resume };
  }

  async toMounts(plan: SandboxPlan): Promise<Mounts> {
    const { project, readMasks, mountsInside } = plan;
    const { filter, hasDisableUserns, without } = this.#settings;
    const toolchains = this.findToolchains();
    const { masks } = await readMasks();
    const args = toBubblewrapArguments({
      ...plan,
      home: this.#options.home,
      objects: this.#options.objects ?? [],
      etc: this.#openEtc(project),
      toolchains,
      masks,
      env: toEnvironment(toolchains, project),
      user: this.#user,
      hasDisableUserns,
      without,
      seccompFd: filter && SECCOMP_FD,
    });
    return { args, inside: mountsInside ? toInsideMounts(project, masks) : [] };
  }

  findToolchains(): Toolchains {
    const { workspace, home, env = process.env } = this.#options;
    const paths = { workspace, home, userHome: homedir(), execPath: process.execPath };
    return (this.#toolchains ??= takeToolchains({ ...paths, env }));
  }

  async openProject(): Promise<ProjectHome> {
    const opened = await (this.#project ??= this.#createProject());
    if (existsSync(opened.source)) return opened;
    // It was removed as unused, or together with its session.
    return (this.#project = this.#createProject());
  }

  async readMasks(
    scope: Omit<MaskScope, 'since'> & Pick<SandboxRequest, 'binds'>,
    view: WorkspaceView,
    warnings?: Set<string>,
  ): Promise<MaskSelection> {
    const paths = this.#settings.without.has('masks')
      ? []
      : await listHidden(this.#options, { ...scope, since: this.#since });
    const selection = selectMasks(paths, scope.shown, view);
    for (const warning of selection.warnings) warnings?.add(warning);
    return { ...selection, masks: mergeMasks(selection.masks, await this.#findBindMasks(scope, paths)) };
  }

  #createProject(): Promise<ProjectHome> {
    return openProjectHome({ ...this.#options, hasUserCaches: true }, this.#user);
  }

  #openEtc(project: ProjectHome): string {
    const { path } = this.findToolchains();
    // Another Klaus may have removed it.
    if (this.#etc === undefined || !existsSync(this.#etc)) this.#etc = openEtcFolder(project, path);
    return this.#etc;
  }

  /** The masks for toolchains, for folders that the request mounts, and for files of administrators. */
  async #findBindMasks({ binds = [] }: Pick<SandboxRequest, 'binds'>, known: readonly string[]): Promise<Mask[]> {
    if (this.#settings.without.has('masks')) return [];
    const { workspace, home, env } = this.#options;
    const common = { home, except: [workspace, home], known, userHomes: toUserHomes(env) };
    const [own, others] = await Promise.all([
      findBindMasks({ ...common, binds: [...this.findToolchains().binds, ...LOCAL], hidesGit: true }),
      findBindMasks({ ...common, binds: binds.map(({ path }) => path), hidesGit: false }),
    ]);
    return mergeMasks(own, others);
  }

  async #protect(
    request: SandboxRequest,
    view: WorkspaceView,
    stores: readonly ObjectStore[],
  ): Promise<Protection | undefined> {
    const { without, slot } = this.#settings;
    const mounts = !without.has('protected-places');
    const neutralizes = !without.has('neutralized-repositories');
    if (!mounts && !neutralizes) return undefined;
    const { home } = this.#options;
    const protect = [...((await this.#options.protect?.()) ?? []), ...(request.protect ?? [])];
    const known = (await this.#options.repositories?.()) ?? [];
    return slot.handOver((reusable) =>
      protectFolders({
        ...{ view, home, protect, known, neutralizes, mounts },
        survives: 'survives' in request && request.survives === true,
        stores: [...stores, ...reusable],
        folders: (request.writable ?? []).map((path) => toBesideView(request, path)),
      }),
    );
  }
}

/** False for a layer, and for a linked worktree, whose git folder outside the workspace the protection mounts. */
function canBeReadOnly(request: SandboxRequest, workspace: string): boolean {
  const isLayer = request.workspaceAt !== undefined || request.besideAt !== undefined;
  if (request.onlyReads !== true || isLayer) return false;
  return lstatSync(join(workspace, '.git'), { throwIfNoEntry: false })?.isDirectory() !== false;
}

/** Nothing in the workspace and in further folders can be changed, so that nothing has to be protected. */
function toReadOnly<R extends SandboxRequest>(request: R, workspace: string): R {
  const { read, write } = request.files ?? { read: [workspace], write: [] };
  return { ...request, files: { read: [...read, ...write], write: [] }, writable: [] };
}
