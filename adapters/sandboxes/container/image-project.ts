import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { CheckEnvironment } from '@klaus/core/protocol';
import { inspectEnvironment, saveSuspects } from '../home/inspect.ts';
import { openProjectHome, type ProjectHome } from '../project-home.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import type { Identity } from './identity.ts';

/** The home of a session whose commands use the programs of an image, which no command can change. */
export class ImageProject {
  readonly #options: SandboxOptions;
  readonly #image: string;
  #home: Promise<ProjectHome> | undefined;

  constructor(options: SandboxOptions, image: string) {
    this.#options = options;
    this.#image = image;
  }

  /** The user of the commands: the owner of the workspace. */
  async readUser(): Promise<Identity> {
    const { uid, gid } = await stat(this.#options.workspace);
    return { uid, gid };
  }

  /** Creates the home, again if it was deleted. */
  async open(): Promise<ProjectHome> {
    const user = await this.readUser();
    const opened = await (this.#home ??= openProjectHome(this.#options, user));
    return existsSync(opened.source) ? opened : (this.#home = openProjectHome(this.#options, user));
  }

  async inspect(folders: readonly string[]): Promise<CheckEnvironment> {
    const { source, suspects } = await this.open();
    const { workspace } = this.#options;
    return inspectEnvironment({ workspace, home: source, suspects, path: this.#image, programs: [], folders });
  }

  async suspect(paths: readonly string[]): Promise<void> {
    const { suspects } = await this.open();
    saveSuspects({ workspace: this.#options.workspace, suspects }, paths);
  }
}
