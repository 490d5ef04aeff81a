import { join } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { isRecord } from '@klaus/sdk/is-record';
import { readJsonFile, toInvalid, writeJsonFile } from '../../settings/json-file.ts';

export interface InstallOptions {
  /** `user`: for all projects of the user. `project`: for all who work in it. */
  place: 'user' | 'project';
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the project. */
  project: string;
  /** Removes the registration. Default false. */
  uninstall?: boolean;
  /** Only computes the change. Default false. */
  dryRun?: boolean;
}

export interface Installed {
  file: string;
  changed: boolean;
  /** The registration after the change; undefined without one. */
  entry: unknown;
}

const NAME = 'klaus';
/** It contains no key: the server gets those of its environment, or the stored ones. */
const ENTRY = { type: 'stdio', command: 'klaus', args: ['mcp'] };
const PATH = ['mcpServers', NAME];

/**
 * Registers `klaus mcp` in the configuration of Claude Code, or removes it. Everything else in the file stays as it is.
 *
 * @throws KlausError `config` for a file that is not a JSON object; nothing is changed then.
 */
export function installMcp({ place, env, project, uninstall = false, dryRun = false }: InstallOptions): Installed {
  const file = place === 'project' ? join(project, '.mcp.json') : toUserFile(env);
  const { text, object } = readJsonFile(file);
  const { mcpServers = {} } = object as { mcpServers?: unknown };
  if (!isRecord(mcpServers)) throw toInvalid(file, 'mcpServers is no object');
  const before = mcpServers[NAME];
  const entry = uninstall ? undefined : ENTRY;
  const changed = JSON.stringify(before) !== JSON.stringify(entry);
  if (changed && !dryRun)
    // Everyone who works in a project reads its file.
    writeJsonFile(file, withEntry(text, entry, 'mcpServers' in object), place === 'project' ? 0o644 : 0o600);
  return { file, changed, entry };
}

/** The file in which Claude Code keeps the servers of the user. */
function toUserFile(env: InstallOptions['env']): string {
  return join(env['CLAUDE_CONFIG_DIR'] ?? env['HOME'] ?? '/', '.claude.json');
}

function withEntry(text: string, entry: unknown, hasServers: boolean): string {
  const begun = text.trim() === '' ? '{\n}\n' : text;
  const [, indent = '  '] = /^\{\s*\n([ \t]+)"/.exec(begun) ?? [];
  const style = { indent, eol: begun.includes('\r\n') ? '\r\n' : '\n', depth: hasServers ? 2 : 1 };
  // Without options for the format, so that no other line changes.
  const edits = modify(begun, PATH, entry, {}).map((edit) => {
    const isInserted = edit.length === 0 && begun.trim().includes('\n');
    return isInserted ? { ...edit, content: spread(edit.content, style) } : edit;
  });
  return applyEdits(begun, edits);
}

/** An inserted property on lines of its own. @param content Such as `,"a":{}`, or `"a":{}` in an empty object. */
function spread(content: string, { indent, eol, depth }: { indent: string; eol: string; depth: number }): string {
  const [, before, body] = /^(,?)([\s\S]*?)$/.exec(content) ?? [];
  const lines = JSON.stringify(JSON.parse(`{${body}}`), null, indent)
    .split('\n')
    .slice(1, -1);
  const outer = indent.repeat(depth - 1);
  const text = `${before}${eol}${lines.map((line) => outer + line).join(eol)}`;
  return before === '' ? `${text}${eol}${outer}` : text;
}
