import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KlausError } from '@klaus/sdk';
import { applyEdits, modify, parse, type ParseError, printParseErrorCode } from 'jsonc-parser';

export interface InstallOptions {
  /** `user`: for all projects of the user. `project`: for all who work in it. */
  place: 'user' | 'project';
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the project. */
  project: string;
  /** Removes the registration. Default false. */
  uninstall?: boolean | undefined;
  /** Only computes the change. Default false. */
  dryRun?: boolean | undefined;
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
  const text = readText(file);
  const settings = readObject(file, text) as { mcpServers?: unknown };
  const { mcpServers = {} } = settings;
  if (typeof mcpServers !== 'object' || mcpServers === null || Array.isArray(mcpServers))
    throw invalid(file, 'mcpServers is no object');
  const before = (mcpServers as Record<string, unknown>)[NAME];
  const entry = uninstall ? undefined : ENTRY;
  const changed = JSON.stringify(before) !== JSON.stringify(entry);
  if (changed && !dryRun) write(file, withEntry(text, entry, 'mcpServers' in settings));
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

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new KlausError('config', `${file} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

function readObject(file: string, text: string): object {
  const errors: ParseError[] = [];
  const value: unknown = text.trim() === '' ? {} : parse(text, errors);
  const [error] = errors;
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw invalid(file, `${printParseErrorCode(error.error)} in line ${line}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(file, 'it is no object');
  return value;
}

function invalid(file: string, what: string): KlausError {
  return new KlausError('config', `${file} is invalid: ${what}.`, { hint: 'Correct it; nothing was changed.' });
}

/** Replaces the file in one step. A symbolic link remains one, and the mode stays. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const target = isLink ? realpathSync(file) : file;
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? (file.endsWith('.mcp.json') ? 0o644 : 0o600);
  const part = `${target}.klaus-${process.pid}`;
  writeFileSync(part, text, { mode });
  renameSync(part, target);
}
