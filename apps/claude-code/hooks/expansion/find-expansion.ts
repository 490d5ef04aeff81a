import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { toClaudeFolder } from '../install/settings-file.ts';

/** A file that Claude Code puts into the conversation: a skill or a command. */
export interface Expansion {
  /** Absolute path. */
  path: string;
  text: string;
}

/** Folders below that of the configuration in which skills and commands can be. */
const MAX_DEPTH = 8;
const MAX_FILES = 2_000;
const MAX_BYTES = 256 * 1_024;

/**
 * The files that a name can mean: skills and commands of the project, of folders between it and the present one, of the
 * user and of plugins. All of them, because Claude Code decides which one it takes.
 *
 * @param name Without a slash; `plugin:name` and `folder:name` mean the last part.
 */
export function findExpansions(name: string, { root, cwd }: { root: string; cwd: string }): Expansion[] {
  const wanted = name.replace(/^\//, '').split(':').at(-1)!.toLowerCase();
  const folders = new Set<string>([toClaudeFolder({ env: process.env })]);
  for (let at = cwd; ; at = dirname(at)) {
    folders.add(join(at, '.claude'));
    if (at === root || at === dirname(at)) break;
  }
  folders.add(join(root, '.claude'));
  const found: Expansion[] = [];
  for (const folder of folders)
    for (const path of listTexts(folder)) {
      const isNamed = toName(path).toLowerCase() === wanted;
      const text = readText(path);
      if (text !== undefined && (isNamed || readFrontMatterName(text)?.toLowerCase() === wanted))
        found.push({ path, text });
    }
  return found;
}

function toName(path: string): string {
  const file = basename(path);
  return /^skill\.md$/i.test(file) ? basename(dirname(path)) : file.replace(/\.md$/i, '');
}

function readFrontMatterName(text: string): string | undefined {
  const head = /^---\r?\n([^]*?)\r?\n---/.exec(text)?.[1];
  return head === undefined ? undefined : /^name:\s*["']?([^"'\r\n]+?)["']?\s*$/m.exec(head)?.[1];
}

/** Markdown files of skills and commands, also of plugins. */
function listTexts(folder: string): string[] {
  const found: string[] = [];
  const visit = (at: string, depth: number): void => {
    if (depth > MAX_DEPTH || found.length > MAX_FILES) return;
    for (const entry of listFolder(at)) {
      const path = join(at, entry.name);
      if (entry.isDirectory() || entry.isSymbolicLink()) {
        // Conversations and caches hold no skills.
        if (!/^(?:projects|todos|shell-snapshots|statsig|file-history|history|node_modules|\.git)$/.test(entry.name))
          visit(path, depth + 1);
      } else if (entry.isFile() && /\.md$/i.test(entry.name) && /\/(?:skills|commands)\//.test(path)) found.push(path);
    }
  };
  visit(folder, 0);
  return found;
}

function listFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function readText(path: string): string | undefined {
  try {
    const state = lstatSync(path);
    return state.isFile() && state.size <= MAX_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
