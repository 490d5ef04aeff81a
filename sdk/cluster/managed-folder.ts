import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { KlausError, treeIdSchema } from '@klaus/core/protocol';
import { z } from 'zod';
import type { Configuration } from '../config/configuration.ts';

/**
 * The folder with the managed workspaces that the settings name. Undefined for shared workspaces.
 *
 * @throws KlausError `config` when it is not set or cannot be used.
 */
export function toManagedFolder(configuration: Pick<Configuration, 'get'>): ManagedFolder | undefined {
  if (configuration.get('cluster.workspaces') === 'shared') return undefined;
  const path = configuration.get('cluster.workspacesFolder');
  if (path !== undefined) return new ManagedFolder(path);
  throw new KlausError('config', '`cluster.workspaces` is `managed`, but `cluster.workspacesFolder` is not set.', {
    hint: 'Set it to the same absolute path on all machines.',
  });
}

/** Folder with the state of Klaus beside the managed workspaces. No workspace has a name that begins with a dot. */
const STATE = '.klaus';
const NAME = /^[a-z\d][a-z\d._-]{0,99}$/i;

const markerSchema = z.object({
  /** `rebuilding`: its files may be incomplete. `ready`: they were those of the state when it was written. */
  state: z.enum(['rebuilding', 'ready']),
  tree: treeIdSchema.optional(),
  git: treeIdSchema.optional(),
});
/** What a worker wrote about a managed folder of this machine. A folder without it is not managed. */
export type Marker = z.infer<typeof markerSchema>;

/** The folder of this machine that contains the managed workspaces. */
export class ManagedFolder {
  readonly path: string;

  /** @param path Absolute. Created if it is missing. @throws KlausError `config` if it is a link or cannot be created. */
  constructor(path: string) {
    this.path = path.replace(/\/+$/, '');
    try {
      mkdirSync(join(this.path, STATE), { recursive: true, mode: 0o700 });
    } catch (cause) {
      const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
      throw new KlausError('config', `\`cluster.workspacesFolder\`: ${path} cannot be created (${code}).`, {
        hint: 'Create the folder, and give it to the user of the worker.',
        cause,
      });
    }
    // Logs contain real paths, and these are the same on all machines.
    const real = realpathSync.native(this.path);
    if (real === this.path) return;
    throw new KlausError('config', `\`cluster.workspacesFolder\`: ${path} leads over a symbolic link to ${real}.`, {
      hint: 'Set a path without symbolic links that is the same on all machines.',
    });
  }

  /** True for the path of a managed workspace, which need not exist. */
  contains(workspace: string): boolean {
    return dirname(workspace) === this.path && NAME.test(workspace.slice(this.path.length + 1));
  }

  /** @throws KlausError `usage` for a name that no folder may have. */
  toPath(name: string): string {
    const path = join(this.path, name);
    if (this.contains(path)) return path;
    throw new KlausError('usage', `${name} is not the name of a managed workspace.`, {
      hint: 'Use at most 100 letters, digits, dots, hyphens and underscores, with a letter or digit first.',
    });
  }

  toLockFile(workspace: string): string {
    return this.#toFile(workspace, 'lock');
  }

  /**
   * Creates the folder of a workspace if it is missing. Returns true if it created it.
   *
   * @throws KlausError `workspace.refused` for a link, a file, or a folder with files that no worker wrote.
   */
  prepare(workspace: string): boolean {
    const stat = lstatSync(workspace, { throwIfNoEntry: false });
    if (!stat) {
      mkdirSync(workspace, { mode: 0o700 });
      return true;
    }
    const isOwn = stat.isDirectory() && (this.#isMarked(workspace) || readdirSync(workspace).length === 0);
    if (isOwn) return false;
    throw new KlausError(
      'workspace.refused',
      `${workspace} was not created by a worker, so nothing in it is changed.`,
      {
        hint: 'Move it to another place. `cluster.workspacesFolder` is for managed workspaces only.',
      },
    );
  }

  #isMarked(workspace: string): boolean {
    const file = this.#toFile(workspace, 'json');
    if (!existsSync(file)) return false;
    // A marker that a power loss damaged still shows that the folder is managed.
    return lstatSync(file).isFile();
  }

  mark(workspace: string, marker: Marker): void {
    const file = this.#toFile(workspace, 'json');
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(marker)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  }

  /** Undefined for a folder that is not managed, or whose marker is damaged. */
  readMarker(workspace: string): Marker | undefined {
    const file = this.#toFile(workspace, 'json');
    if (!existsSync(file)) return undefined;
    try {
      return markerSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }

  #toFile(workspace: string, ending: string): string {
    return join(this.path, STATE, `${workspace.slice(this.path.length + 1)}.${ending}`);
  }
}
