import { statSync } from 'node:fs';
import { isBelow, findScripts } from '@klaus/sdk/guard';
import { isRecord } from '@klaus/sdk/is-record';
import { readText } from '../expansion/find-named-files.ts';
import { listPaths } from './loading-variable.ts';
import { readJsonFile } from '../../settings/json-file.ts';

/** The command lines in a value: each text named `command`, with its arguments. */
export function listCommands(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => listCommands(each));
  if (!isRecord(value)) return [];
  const { command, args } = value;
  const words = Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [];
  const own = typeof command === 'string' ? [[command, ...words].join(' ')] : [];
  return [...own, ...Object.values(value).flatMap((each) => listCommands(each))];
}

/** Settings with a command line as their value. Others are objects with a `command`. */
export const COMMAND_SETTINGS = /(?:Helper|Refresh|CredentialExport)$/;

/** The command lines in settings of Claude Code, with those whose setting has another form. */
export function listSettingCommands(settings: Readonly<Record<string, unknown>>): string[] {
  const plain = Object.entries(settings).filter(([name]) => COMMAND_SETTINGS.test(name));
  return [...listCommands(settings), ...plain.flatMap(([, value]) => (typeof value === 'string' ? [value] : []))];
}

/** Absolute paths of the files of the project that the commands run, or name. */
export function findScriptFiles(lines: readonly string[], root: string): Set<string> {
  const scripts = new Set<string>();
  for (const line of lines) {
    const known = line.replaceAll(/\$\{CLAUDE_PROJECT_DIR\}|\$CLAUDE_PROJECT_DIR\b/g, () => root);
    for (const path of listPaths(known, root))
      if (statSync(path, { throwIfNoEntry: false })?.isFile()) scripts.add(path);
    for (const path of findScripts(known, { workspace: root }).files)
      if (isBelow(path, root) && !path.includes('/node_modules/') && readText(path) !== undefined) scripts.add(path);
  }
  return scripts;
}

/** The object in a JSON file. Empty for one that cannot be read. */
export function readObject(file: string): Readonly<Record<string, unknown>> {
  try {
    return readJsonFile(file).object;
  } catch {
    return {};
  }
}

export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
