import { isBelow } from '../../policy/index.ts';
import { KlausError, headOf } from '../../protocol/index.ts';
import type { FoundPath, ToolContext } from '../ports/tool.ts';
import type { Folder } from '../ports/workspace.ts';

/** Maximum folders that one path may lead through, by symlinks or `..`. */
const MAX_HOPS = 40;

export interface FindPathOptions {
  workspace: Folder;
  /** Absolute real paths of the folders outside the workspace that may be read. */
  readable?: readonly string[];
  /** Opens one of them. */
  open?: (folder: string) => Promise<Folder>;
}

/** What finds paths in the workspace and the folders beside it. Each step is walked in one folder that holds it. */
export function createPathFinder({ workspace, readable = [], open }: FindPathOptions): ToolContext['find'] {
  const roots = [workspace.root, ...(open ? readable : [])].sort((a, b) => b.length - a.length);
  const enter = async (root: string): Promise<Folder> => (root === workspace.root ? workspace : open!(root));
  const holderOf = (path: string): string | undefined => roots.find((root) => isBelow(path, root));
  const toFound = async (absolute: string): Promise<FoundPath> => {
    const root = holderOf(absolute)!;
    const relative = absolute.slice(root === '/' ? 1 : root.length + 1);
    return { folder: await enter(root), relative, absolute, shown: root === workspace.root ? relative : absolute };
  };
  return async (path) => {
    let at = path;
    for (let hop = 0; hop < MAX_HOPS; hop++) {
      const root = at.startsWith('/') ? (holderOf(at) ?? holderOf(normalize(at))) : workspace.root;
      // The workspace may have another spelling, which only it knows.
      const located = await (await enter(root ?? workspace.root)).locate(at);
      if ('inside' in located) return toFound(located.inside.absolute);
      if (root === undefined && located.outside === at) throw toOutside(path, readable);
      at = located.outside;
    }
    throw new KlausError('tool.failed', `${path} leads through too many symbolic links.`);
  };
}

/** Without `.` and `..`, by the names alone. */
function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function toOutside(path: string, readable: readonly string[]): KlausError {
  const line = path.replaceAll(/[\n\r\0]/g, '?');
  const name = line.length > 200 ? `${headOf(line, 200)}…` : line;
  const [beside, folders] =
    readable.length === 0 ? ['', ''] : [' and of what may be read beside it', ` or ${readable.join(', ')}`];
  return new KlausError('workspace.outside', `${name} is outside the workspace${beside}.`, {
    hint: `Use a path inside the workspace${folders}.`,
  });
}
