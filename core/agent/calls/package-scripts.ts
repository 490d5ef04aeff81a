import { isKlausError } from '../../protocol/index.ts';
import type { FileEdit, Workspace } from '../ports/workspace.ts';

const MAX_BYTES = 1_024 * 1_024;

/** True for a file whose scripts package managers run. */
export function isPackageFile(path: string): boolean {
  return path === 'package.json' || path.endsWith('/package.json');
}

/** Package files whose scripts these edits would change. */
export async function findScriptChanges(
  workspace: Workspace,
  edits: readonly Pick<FileEdit, 'path' | 'content'>[] = [],
): Promise<string[]> {
  const found: string[] = [];
  for (const { path, content } of edits) {
    if (!isPackageFile(path) || content === null) continue;
    const before = await read(workspace, path);
    if (scriptsOf(before) !== scriptsOf(content)) found.push(path);
  }
  return found;
}

async function read(workspace: Workspace, path: string): Promise<Uint8Array | undefined> {
  try {
    return (await workspace.stat(path)) ? await workspace.read(path, { maxBytes: MAX_BYTES }) : undefined;
  } catch (error) {
    if (isKlausError(error)) return undefined;
    throw error;
  }
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
