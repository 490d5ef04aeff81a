import { isPackageFile } from '../../policy/index.ts';
import { isRecord, unlessFailed } from '../../protocol/index.ts';
import type { FileEdit, Workspace } from '../ports/workspace.ts';

const MAX_BYTES = 1_024 * 1_024;

/** Package files whose scripts these edits would change. */
export async function findScriptChanges(
  workspace: Workspace,
  edits: readonly Pick<FileEdit, 'path' | 'content'>[] = [],
): Promise<string[]> {
  const found: string[] = [];
  for (const { path, content } of edits) {
    if (!isPackageFile(path) || content === null) continue;
    const before = await readPackage(workspace, path, MAX_BYTES);
    if (scriptsOf(before) !== scriptsOf(content)) found.push(path);
  }
  return found;
}

/** The content of a package file; undefined if there is none, or if it cannot be read. */
export function readPackage(workspace: Workspace, path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  return unlessFailed(async () => ((await workspace.stat(path)) ? workspace.read(path, { maxBytes }) : undefined));
}

/** The scripts as canonical JSON. A file that cannot be parsed is returned as it is. */
export function scriptsOf(content: Uint8Array | undefined): string {
  if (!content) return '{}';
  const text = new TextDecoder().decode(content);
  try {
    const value: unknown = JSON.parse(text);
    const scripts = (value as { scripts?: unknown } | null)?.scripts;
    return JSON.stringify(sortKeys(scripts ?? {}));
  } catch {
    return text;
  }
}

function sortKeys(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The file that `node FOLDER` runs, according to its package.json. */
export function readMain(text: string | undefined): string | undefined {
  try {
    const { main } = JSON.parse(text ?? '') as { main?: unknown };
    return typeof main === 'string' ? main : undefined;
  } catch {
    return undefined;
  }
}

/** A script with its pre and post scripts; for a command such as `install`, its lifecycle scripts. */
export function toScriptLines(scripts: string, name: string): string[] {
  try {
    const all = JSON.parse(scripts) as Record<string, unknown>;
    const names = /^(?:i|in|install|ci|add)$/.test(name)
      ? ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']
      : [`pre${name}`, name, `post${name}`];
    const lines = names.map((key) => all[key]).filter((line) => typeof line === 'string');
    // https://docs.npmjs.com/cli/using-npm/scripts#npm-start
    return name === 'start' && all['start'] === undefined ? [...lines, 'node server.js'] : lines;
  } catch {
    return [];
  }
}
