import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toHostEnvironment } from '@klaus/adapters/system';
import type { ExecRequest, ExecResult, Sandbox } from '@klaus/core/agent';
import { KlausError, type CheckEnvironment } from '@klaus/core/protocol';
import { toExecLimits } from '../exec-limits.ts';
import { inspectEnvironment, saveSuspects } from '../home/inspect.ts';
import { refuseLimitedNetwork } from '../network/limited-network.ts';
import { toWorkingFolder } from '../paths.ts';
import { isGone } from '../process/owner.ts';
import { sendSignal } from '../process/process-table.ts';
import { supervise } from '../process/supervise.ts';
import { passEnvironment } from '../passed-environment.ts';
import { openProjectHome, type ProjectHome } from '../project-home.ts';
import { findBindMasks, mergeMasks, toUserHomes } from '../protection/bind-masks.ts';
import { listHidden } from '../protection/list-hidden.ts';
import { selectMasks } from '../protection/masks.ts';
import { protectFolders } from '../protection/protected-folders.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { toDockerProfile } from '../seccomp/docker-profile.ts';
import { isSeccompArch } from '../seccomp/profile.ts';
import { dropReplacedFolders } from '../readable-folders.ts';
import { cannotHideParts, toBesideView, toView } from '../view.ts';
import { OWNER_LABEL, toDockerArguments } from './arguments.ts';
import { runDocker } from './docker-cli.ts';
import { DEFAULT_IMAGE, toMissingImage } from './find-docker.ts';

const REMOVE_TRIES = 40;

const MASKS_ARE_FIXED =
  'secret files: files that are created or replaced while the command runs are not hidden from it';

export interface DockerSandboxOptions extends SandboxOptions {
  /** Default `node:24-slim`. Commands never pull an image: use `docker pull` first. */
  image?: string;
}

/**
 * Runs each command in a container of its own, with the `docker` program. Commands use the programs of the image. They see
 * the workspace at its path and write it as its owner. The exit code of a command that a signal ended is 128 plus the
 * signal's number.
 *
 * The container waits for `go` on standard input and ends when that closes. A killed Klaus process therefore leaves no
 * container behind, even if its `docker` client still runs.
 */
export class DockerSandbox implements Sandbox {
  readonly name = 'docker';
  readonly #options: DockerSandboxOptions;
  readonly #since = Date.now();
  #swept: Promise<void> | undefined;
  #project: Promise<ProjectHome> | undefined;

  constructor(options: DockerSandboxOptions) {
    this.#options = options;
  }

  async exec(given: ExecRequest): Promise<ExecResult> {
    const replaced = new Set<string>();
    const request = dropReplacedFolders(given, replaced);
    if (request.files) throw cannotHideParts('Docker');
    refuseLimitedNetwork(request, 'Docker');
    const { stdin } = request;
    if (typeof stdin === 'object' && Symbol.asyncIterator in stdin)
      throw new KlausError('sandbox.unavailable', 'Docker cannot run an agent that another program drives.', {
        hint: 'Use bubblewrap, or `--sandbox host`, where the agent has all rights of the user.',
      });
    this.#swept ??= removeOrphans();
    await this.#swept;
    const { workspace, home, env, image = DEFAULT_IMAGE } = this.#options;
    const limits = toExecLimits(this.#options.limits, request.limits);
    const cwd = toWorkingFolder(request, workspace);
    const { uid, gid } = await stat(workspace);
    const project = await this.#openProject({ uid, gid });
    const container = `klaus-${randomUUID()}`;
    const seccompFile = await writeProfile(project.etc);
    const stdinFile = stdin === undefined ? undefined : join(project.etc, `stdin-${container}`);
    if (stdinFile) await writeFile(stdinFile, await stdin!, { mode: 0o644 });
    const view = toView(request, workspace);
    const binds = (request.binds ?? []).map((bind) => bind.path);
    const shown = [workspace, ...(request.readable ?? []), ...binds, project.home];
    const paths = await listHidden(this.#options, { ...request, shown, since: this.#since, network: false });
    const { masks, warnings } = selectMasks(paths, shown, view);
    const bindMasks = await findBindMasks({
      home,
      binds,
      except: [workspace, home],
      known: paths,
      userHomes: toUserHomes(env),
      hidesGit: false,
    });
    const protect = [...((await this.#options.protect?.()) ?? []), ...(request.protect ?? [])];
    const known = (await this.#options.repositories?.()) ?? [];
    const folders = (request.writable ?? []).map((path) => toBesideView(request, path));
    const protection = protectFolders({ view, home, protect, known, folders });
    const end = (pid: number) => {
      // Killing the container ends the client too. Killing only the client would leave the container.
      void runDocker(['kill', container]).then((killed) => killed.ok || sendSignal(pid, 'SIGKILL'));
    };
    try {
      const passed = passEnvironment(this.#options, request).variables;
      const args = toDockerArguments(
        {
          container,
          image,
          view,
          cwd,
          home,
          objects: this.#options.objects,
          project,
          passed: Object.keys(passed),
          limits,
          user: { uid, gid },
          masks: mergeMasks(masks, bindMasks),
          protection,
          ...(seccompFile ? { seccompFile } : {}),
          ...(stdinFile ? { stdinFile } : {}),
        },
        request,
      );
      const result = await supervise(
        {
          file: 'docker',
          args,
          env: toHostEnvironment({ ...process.env, ...passed }),
          startPipe: 'stdin',
          terminate: () => void runDocker(['kill', '--signal', 'TERM', container]),
          kill: end,
          waitForEnd: () => waitUntilRemoved(container),
          isDriverFailure: (exitCode, stderr) => exitCode === 125 && /^(docker: |Unable to find image)/m.test(stderr),
        },
        { ...request, timeoutMs: limits.timeoutMs },
      );
      const unenforced = seccompFile ? [] : [`system calls: there is no filter for ${process.arch}`];
      if (this.#options.masks) unenforced.push(MASKS_ARE_FIXED);
      const all = [...replaced, ...warnings, ...protection.close()];
      return { ...result, unenforced, ...(all.length > 0 ? { warnings: all } : {}) };
    } catch (error) {
      if (error instanceof KlausError && /No such image|Unable to find image/.test(error.message)) {
        const { reason, fix } = toMissingImage(image);
        throw new KlausError('sandbox.failed', reason, { hint: fix, cause: error });
      }
      throw error;
    } finally {
      protection.close();
      if (stdinFile) await rm(stdinFile, { force: true });
    }
  }

  /** Commands use the programs of the image, which no command can change. */
  async inspect(_programs: readonly string[], folders: readonly string[]): Promise<CheckEnvironment> {
    const { workspace, image = DEFAULT_IMAGE } = this.#options;
    const { source, suspects } = await this.#openProject(await stat(workspace));
    return inspectEnvironment({ workspace, home: source, suspects, path: image, programs: [], folders });
  }

  async suspect(paths: readonly string[]): Promise<void> {
    const { workspace } = this.#options;
    const { suspects } = await this.#openProject(await stat(workspace));
    saveSuspects({ workspace, suspects }, paths);
  }

  async #openProject(user: { uid: number; gid: number }): Promise<ProjectHome> {
    const opened = await (this.#project ??= openProjectHome(this.#options, user));
    return existsSync(opened.source) ? opened : (this.#project = openProjectHome(this.#options, user));
  }
}

/** Removes containers of Klaus processes that have ended. A killed client may leave one that was never started. */
async function removeOrphans(): Promise<void> {
  const format = `{{.ID}} {{.Label "${OWNER_LABEL}"}}`;
  const listed = await runDocker(['ps', '--all', '--filter', `label=${OWNER_LABEL}`, '--format', format]);
  const rows = listed.stdout.split('\n').map((line) => line.split(' '));
  const orphans = rows.flatMap(([id, owner]) => (id && owner && isGone(owner) ? [id] : []));
  if (orphans.length > 0) await runDocker(['rm', '--force', ...orphans]);
}

async function writeProfile(folder: string): Promise<string | undefined> {
  if (!isSeccompArch(process.arch)) return undefined;
  const file = join(folder, 'seccomp.json');
  await writeFile(file, JSON.stringify(toDockerProfile(process.arch)), { mode: 0o600 });
  return file;
}

/** Waits until the engine has removed the container: `docker run` may return earlier. */
async function waitUntilRemoved(container: string): Promise<void> {
  for (let attempt = 0; attempt < REMOVE_TRIES; attempt++) {
    const listed = await runDocker(['ps', '--all', '--quiet', '--filter', `name=^/?${container}$`]);
    if (!listed.ok || listed.stdout.trim() === '') return;
    if (attempt === REMOVE_TRIES / 2) await runDocker(['rm', '--force', container]);
    await sleep(50);
  }
}
