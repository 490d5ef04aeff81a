import { KlausError, type FileChange } from '../../protocol/index.ts';
import type { FileEdit, ReadOptions, ResolvedPath, Workspace } from '../ports/workspace.ts';
import { createPathFinder } from './find-path.ts';
import { createMembers, type Members } from './members.ts';

/**
 * A workspace and other writable folders as one. Paths in the other folders are absolute, also where the port specifies
 * relative ones. Files of several folders cannot be changed in one step.
 *
 * @param others None contains another, or the workspace.
 */
export function joinWorkspaces(own: Workspace, others: readonly Workspace[]): Workspace {
  if (others.length === 0) return own;
  const members = createMembers(others.map(({ root }) => root));
  return new JoinedWorkspace([own, ...others], members);
}

class JoinedWorkspace implements Workspace {
  readonly root: string;
  readonly #all: readonly Workspace[];
  readonly #members: Members;
  readonly #find: ReturnType<typeof createPathFinder>;

  constructor(all: readonly Workspace[], members: Members) {
    const [own, ...others] = all;
    this.root = own!.root;
    this.#all = all;
    this.#members = members;
    const readable = others.map(({ root }) => root);
    const open = async (root: string): Promise<Workspace> => others.find((one) => one.root === root)!;
    this.#find = createPathFinder({ workspace: own!, readable, open });
  }

  async resolve(path: string): Promise<ResolvedPath> {
    const { absolute, shown } = await this.#find(path);
    const { links } = await this.#at(shown, (member, inner) => member.resolve(inner));
    return { relative: shown, absolute, ...(links ? { links } : {}) };
  }

  locate(path: string): ReturnType<Workspace['locate']> {
    return this.#all[0]!.locate(path);
  }

  async stat(path: string): ReturnType<Workspace['stat']> {
    return this.#at((await this.#find(path)).shown, (member, inner) => member.stat(inner));
  }

  async read(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    const { shown } = options.exact === true ? { shown: path } : await this.#find(path);
    return this.#at(shown, (member, inner) => member.read(inner, options));
  }

  async hash(path: string): Promise<string | null> {
    return this.#at((await this.#find(path)).shown, (member, inner) => member.hash(inner));
  }

  async apply(edits: readonly FileEdit[]): Promise<FileChange[]> {
    const placed = edits.map((edit) => ({ edit, at: this.#place(edit.path) }));
    const [first] = placed;
    if (!first) return [];
    const { index } = first.at;
    if (placed.some(({ at }) => at.index !== index))
      throw new KlausError('tool.failed', 'A call can only change files of one folder. Nothing was written.', {
        hint: 'Use a separate call for each folder.',
      });
    const changes = await this.#all[index]!.apply(placed.map(({ edit, at }) => ({ ...edit, path: at.path })));
    return changes.map((row) => ({ ...row, path: this.#members.name({ index, path: row.path }) }));
  }

  mark(): Promise<string> {
    return this.#all[0]!.mark();
  }

  async changedSince(mark: string, options: { limit?: number } = {}): Promise<FileChange[]> {
    const rows: FileChange[] = [];
    for (const [index, member] of this.#all.entries())
      for (const row of await member.changedSince(mark, options))
        rows.push({ ...row, path: this.#members.name({ index, path: row.path }) });
    return options.limit === undefined ? rows : rows.slice(0, options.limit);
  }

  #place(path: string): { index: number; path: string } {
    const at = this.#members.place(path);
    if (at) return at;
    throw new KlausError('workspace.outside', `${path} is outside the folders that may be changed.`);
  }

  #at<T>(path: string, use: (member: Workspace, inner: string) => Promise<T>): Promise<T> {
    const at = this.#place(path);
    return use(this.#all[at.index]!, at.path);
  }
}
