import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecLimits, ExecRequest, ExecResult, Sandbox } from '@klaus/core/agent';
import { KlausError, type CheckEnvironment } from '@klaus/core/protocol';
import { toCommandScript } from '../container/command-script.ts';
import { ImageProject } from '../container/image-project.ts';
import { prepareWorkspace } from '../container/prepare-workspace.ts';
import { WarmSlots, type SlotRequest, type TakenContainer, type WarmSlot } from '../container/warm-slot.ts';
import { toExecLimits } from '../exec-limits.ts';
import { refuseLimitedNetwork } from '../network/limited-network.ts';
import { toWorkingFolder } from '../paths.ts';
import { ownName } from '../process/owner.ts';
import { supervise, type Supervised } from '../process/supervise.ts';
import { passEnvironment } from '../passed-environment.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { toDockerProfile } from '../seccomp/docker-profile.ts';
import { isSeccompArch } from '../seccomp/profile.ts';
import { dropReplacedFolders } from '../readable-folders.ts';
import { cannotHideParts } from '../view.ts';
import { planContainer, type ContainerPlan } from './arguments.ts';
import { findEnginePaths, parseMappings } from './engine-paths.ts';
import { DEFAULT_IMAGE, toMissingImage } from './find-docker.ts';
import { OWNER_LABEL, removeOrphans, SESSION_LABEL, WORKSPACE_LABEL } from './containers.ts';
import { Container } from './container.ts';

const MASKS_ARE_FIXED =
  'secret files: files that are created or replaced while the command runs are not hidden from it';

/** The exit code of a command that SIGKILL ended. */
const KILLED = 137;

/** How long a container waits for the next command. */
const IDLE_MS = 60_000;

const slots = new WarmSlots<Container>(IDLE_MS);

export interface DockerSandboxOptions extends SandboxOptions {
  /** Default `klaus-sandbox`, which `klaus sandbox build` creates. Commands never pull an image. */
  image?: string;
  /**
   * Folders of this process on the machine of the engine, each as `/here=/there`. Default: none; in a container of the
   * engine, its mounts are found.
   */
  hostPaths?: readonly string[];
}

/**
 * Runs commands in containers, with the `docker` program. Commands use the programs of the image. They see the workspace
 * at its path and write it as its owner. The exit code of a command that a signal ended is 128 plus the signal's number.
 *
 * A container runs one command at a time, by `docker exec`, and waits for the next one. It is used again only if a new
 * one would have the same mounts and limits, and if the last command left neither processes nor temporary files. A
 * program that gets its input piece by piece has a container of its own.
 */
export class DockerSandbox implements Sandbox {
  readonly name = 'docker';
  readonly #options: DockerSandboxOptions;
  readonly #since = Date.now();
  readonly #project: ImageProject;
  readonly #slot: WarmSlot<Container>;
  #swept: Promise<unknown> | undefined;
  #enginePaths: ReturnType<typeof findEnginePaths> | undefined;

  constructor(options: DockerSandboxOptions) {
    this.#options = options;
    this.#project = new ImageProject(options, options.image ?? DEFAULT_IMAGE);
    this.#slot = slots.open(options.workspace, options.session);
  }

  async exec(given: ExecRequest): Promise<ExecResult> {
    const warnings = new Set<string>();
    const request = dropReplacedFolders(given, warnings);
    if (request.files) throw cannotHideParts('Docker');
    refuseLimitedNetwork(request, 'Docker');
    const { stdin } = request;
    const isLong = typeof stdin === 'object' && Symbol.asyncIterator in stdin;
    // A program that gets messages while it runs has a container of its own, which ends with it.
    const slot = isLong ? slots.open(this.#options.workspace, undefined) : this.#slot;
    this.#swept ??= removeOrphans();
    await this.#swept;
    const limits = toExecLimits(this.#options.limits, request.limits);
    toWorkingFolder(request, this.#options.workspace);
    const plan = await this.#plan(request, { limits, warnings });
    const taken = await slot.take(plan).catch((error: unknown) => {
      throw this.#explain(error);
    });
    let canStay = false;
    let repairs: readonly string[];
    let result: Supervised;
    let isOutOfMemory = false;
    try {
      result = await this.#run(taken, request, limits);
      isOutOfMemory = result.exitCode === KILLED && (await taken.container.hasReachedMemory());
      // A layer is discarded after its command.
      canStay = !isLong && !isOutOfMemory && request.workspaceAt === undefined && request.besideAt === undefined;
    } finally {
      repairs = await slot.release(taken, canStay);
    }
    for (const repair of repairs) warnings.add(repair);
    const unenforced = isSeccompArch(process.arch) ? [] : [`system calls: there is no filter for ${process.arch}`];
    if (this.#options.masks) unenforced.push(MASKS_ARE_FIXED);
    return {
      ...result,
      unenforced,
      ...(isOutOfMemory ? { exceeded: [`memory: a process was ended at the limit of ${limits.memoryMb} MiB`] } : {}),
      ...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
    };
  }

  async #plan(
    request: ExecRequest,
    { limits, warnings }: { limits: ExecLimits; warnings: Set<string> },
  ): Promise<SlotRequest<Container, ContainerPlan>> {
    const { workspace, home, image = DEFAULT_IMAGE, objects, session } = this.#options;
    const user = await this.#project.readUser();
    const project = await this.#project.open();
    const seccompFile = await writeProfile(project.etc);
    const toEnginePath = await (this.#enginePaths ??= findEnginePaths(parseMappings(this.#options.hostPaths ?? [])));
    const { view, masks, protect } = await prepareWorkspace(this.#options, request, {
      ...{ project, warnings, since: this.#since },
    });
    const labels = {
      [OWNER_LABEL]: ownName(),
      [WORKSPACE_LABEL]: workspace,
      ...(session === undefined ? {} : { [SESSION_LABEL]: session }),
    };
    return {
      protect,
      start: (planned) => Container.start(planned, labels),
      plan: (protection) =>
        planContainer(
          {
            ...{ image, view, home, objects, project, limits, user, masks, protection },
            ...(seccompFile ? { seccompFile } : {}),
            toEnginePath,
          },
          request,
        ),
    };
  }

  async #run({ container }: TakenContainer<Container>, request: ExecRequest, limits: ExecLimits): Promise<Supervised> {
    const { workspace } = this.#options;
    const passed = passEnvironment(this.#options, request).variables;
    const cwd = toWorkingFolder(request, workspace);
    const command = await container.takeCommand();
    command.request.script = toCommandScript({ workspace, cwd, project: await this.#project.open(), passed }, request);
    return supervise(command, { ...request, timeoutMs: limits.timeoutMs });
  }

  #explain(error: unknown): unknown {
    if (!(error instanceof KlausError) || !/No such image|Unable to find image/.test(error.message)) return error;
    const { reason, fix } = toMissingImage(this.#options.image);
    return new KlausError('sandbox.failed', reason, { hint: fix, cause: error });
  }

  inspect(_programs: readonly string[], folders: readonly string[]): Promise<CheckEnvironment> {
    return this.#project.inspect(folders);
  }

  suspect(paths: readonly string[]): Promise<void> {
    return this.#project.suspect(paths);
  }
}

async function writeProfile(folder: string): Promise<string | undefined> {
  if (!isSeccompArch(process.arch)) return undefined;
  const file = join(folder, 'seccomp.json');
  await writeFile(file, JSON.stringify(toDockerProfile(process.arch)), { mode: 0o600 });
  return file;
}
