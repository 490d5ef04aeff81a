import { parseEnv } from 'node:util';
import { SETTING_KEYS, SETTINGS, type Setting } from '@klaus/core/protocol';
import type { FoundValue } from './setting-source.ts';

/** Settings in an environment. Empty variables count as unset, unknown ones are ignored. */
export function fromEnvironment(env: Readonly<Record<string, string | undefined>>, folder: string): FoundValue[] {
  return SETTING_KEYS.flatMap((key): FoundValue[] => {
    const variable = (SETTINGS[key] as Setting).env;
    const value = variable === undefined ? undefined : env[variable];
    if (variable === undefined || value === undefined || value.trim() === '') return [];
    return [{ key, value, source: 'environment', where: variable, variable, folder }];
  });
}

/** Settings in the text of a `.env` file at `path`. */
export function fromEnvFile(text: string, options: { path: string; folder: string }): FoundValue[] {
  return fromEnvironment(parseEnv(text), options.folder).map((found): FoundValue => {
    const line = toLine(text, found.variable!);
    return { ...found, source: 'home .env', where: line === undefined ? options.path : `${options.path}:${line}` };
  });
}

/** The last line, from 1, that sets the variable, which is the effective one. */
function toLine(text: string, variable: string): number | undefined {
  const sets = new RegExp(`^\\s*(export\\s+)?${variable}\\s*=`);
  const index = text.split('\n').findLastIndex((line) => sets.test(line));
  return index < 0 ? undefined : index + 1;
}
