import { dirname, join } from 'node:path';
import { isBelow, listEntries, listNames } from '@klaus/sdk/guard';
import { readText } from '../expansion/find-named-files.ts';
import { listCommands, readObject } from './command-lines.ts';

/** The folder that makes another one a plugin or a marketplace. */
const MARK = '.claude-plugin';
/** Parts of a plugin that start programs. */
const PROGRAMS = /^(?:\.claude-plugin\/|hooks\/|monitors\/|bin\/|\.mcp\.json$|\.lsp\.json$|settings\.json$)/;
/** Parts that come into the conversation, and can start programs then. */
const TEXTS = /^(?:skills|commands|agents|output-styles|themes)\//;
/** Folders below that of a marketplace in which its plugins are. */
const MAX_DEPTH = 4;
const MAX_FILES = 200;

export interface PluginPrograms {
  /** Absolute paths of files that are, or name, programs. */
  files: string[];
  /** Command lines in them. */
  lines: string[];
}

export function isPlugin(folder: string): boolean {
  return listNames(join(folder, MARK)).length > 0;
}

/** What plugins in a folder, or the folder itself, start. */
export function readPlugins(folder: string): PluginPrograms {
  const files: string[] = [];
  const lines: string[] = [];
  const visit = (at: string, depth: number): void => {
    const entries = listEntries(at);
    if (entries.some(({ name }) => name === MARK))
      for (const path of listParts(at)) {
        if (files.length >= MAX_FILES) return;
        files.push(path);
        if (path.endsWith('.json'))
          for (const line of listCommands(readObject(path)))
            lines.push(line.replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}|\$CLAUDE_PLUGIN_ROOT\b/g, () => at));
      }
    if (depth < MAX_DEPTH)
      for (const entry of entries)
        if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git')
          visit(join(at, entry.name), depth + 1);
  };
  visit(folder, 0);
  return { files, lines };
}

/** The programs of a plugin. */
function listParts(plugin: string): string[] {
  const visit = (below: string): string[] =>
    listEntries(join(plugin, below)).flatMap((entry) => {
      const path = below + entry.name;
      if (!PROGRAMS.test(entry.isDirectory() ? `${path}/` : path)) return [];
      return entry.isDirectory() ? visit(`${path}/`) : [join(plugin, path)];
    });
  return visit('').filter((path) => readText(path) !== undefined);
}

/** True for a file of the project that Claude Code loads as a part of a plugin. */
export function isPluginPart(path: string, root: string): boolean {
  for (let at = dirname(path); isBelow(at, root) && at !== dirname(at); at = dirname(at)) {
    const below = path.slice(at.length + 1);
    if ((PROGRAMS.test(below) || TEXTS.test(below)) && isPlugin(at)) return true;
  }
  return false;
}
