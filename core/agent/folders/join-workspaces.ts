import { KlausError } from '../../protocol/index.ts';
import type { Workspace } from '../ports/workspace.ts';
import { createPathFinder } from './find-path.ts';
import { createMembers, type MemberPath } from './members.ts';

/**
 * A workspace and other writable folders as one. Paths in the other folders are absolute, also where the port specifies
 * relative ones. Files of several folders cannot be changed in one step.
 *
 * @param others None contains another, or the workspace.
 */
export function joinWorkspaces(own: Workspace, others: readonly Workspace[]): Workspace {
  if (others.length === 0) return own;
  const all = [own, ...others];
  const readable = others.map(({ root }) => root);
  const members = createMembers(readable);
  const open = async (root: string): Promise<Workspace> => others.find((one) => one.root === root)!;
  const find = createPathFinder({ workspace: own, readable, open });
  const place = (path: string): MemberPath => {
    const at = members.place(path);
    if (at) return at;
    throw new KlausError('workspace.outside', `${path} is outside the folders that may be changed.`);
  };
  /** Uses the folder that contains a path, with the path inside of it. */
  const within = <T>(path: string, use: (member: Workspace, inner: string) => Promise<T>): Promise<T> => {
    const at = place(path);
    return use(all[at.index]!, at.path);
  };
  return {
    root: own.root,
    async resolve(path) {
      const { absolute, shown } = await find(path);
      const { links } = await within(shown, (member, inner) => member.resolve(inner));
      return { relative: shown, absolute, links };
    },
    locate: (path) => own.locate(path),
    stat: async (path) => within((await find(path)).shown, (member, inner) => member.stat(inner)),
    async read(path, options = {}) {
      const shown = options.exact === true ? path : (await find(path)).shown;
      return within(shown, (member, inner) => member.read(inner, options));
    },
    async otherNames(path) {
      const { shown } = await find(path);
      const { index } = place(shown);
      const { names, isShared } = await within(shown, (member, inner) => member.otherNames(inner));
      return { names: names.map((name) => members.name({ index, path: name })), isShared };
    },
    hash: async (path) => within((await find(path)).shown, (member, inner) => member.hash(inner)),
    async apply(edits) {
      const placed = edits.map((edit) => ({ edit, at: place(edit.path) }));
      const [first] = placed;
      if (!first) return [];
      const { index } = first.at;
      if (placed.some(({ at }) => at.index !== index))
        throw new KlausError('tool.failed', 'A call can only change files of one folder. Nothing was written.', {
          hint: 'Use a separate call for each folder.',
        });
      const changes = await all[index]!.apply(
        placed.map(({ edit, at }) => ({ ...edit, path: at.path, links: edit.links?.map((name) => place(name).path) })),
      );
      return changes.map((row) => ({ ...row, path: members.name({ index, path: row.path }) }));
    },
    mark: () => own.mark(),
    async changedSince(mark, options = {}) {
      const found = await Promise.all(all.map((member) => member.changedSince(mark, options)));
      const rows = found.flatMap((changes, index) =>
        changes.map((row) => ({ ...row, path: members.name({ index, path: row.path }) })),
      );
      return rows.slice(0, options.limit);
    },
  };
}
