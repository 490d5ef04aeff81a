import { readObject, findScriptFiles, listCommands } from './command-lines.ts';
import { toSettingsFile } from '../install/settings-file.ts';
import { isPluginPart } from './plugin-files.ts';
import { readProjectPrograms, type ProjectPlace } from './project-programs.ts';

/** Why a change of one of these files would run code without a call. Undefined for files that Claude Code starts nothing of. */
export function describeUnseenUse(paths: readonly string[], place: ProjectPlace): string | undefined {
  if (paths.length === 0) return undefined;
  const { root } = place;
  const part = paths.find((path) => isPluginPart(path, root));
  if (part !== undefined) return `${part} is a part of a plugin of Claude Code`;
  const user = readObject(toSettingsFile({ place: 'user', env: process.env, project: root }));
  const scripts = new Set([
    ...(readProjectPrograms(place)?.scripts ?? []),
    ...findScriptFiles(listCommands(user), root),
  ]);
  const script = paths.find((path) => scripts.has(path));
  return script === undefined ? undefined : `settings of Claude Code, such as hooks, run ${script}`;
}
