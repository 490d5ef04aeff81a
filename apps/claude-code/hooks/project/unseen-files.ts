import { isBelow } from '@klaus/sdk/guard';
import { findScriptFiles, listSettingCommands, readObject, toRecord } from './command-lines.ts';
import { listPaths } from './loading-variable.ts';
import { toSettingsFile } from '../install/settings-file.ts';
import { isPluginPart } from './plugin-files.ts';
import { readProjectPrograms, type ProjectPlace } from './project-programs.ts';

/** Why a change of one of these files would run code without a call. Undefined for files that Claude Code starts nothing of. */
export function describeUnseenUse(paths: readonly string[], place: ProjectPlace): string | undefined {
  if (paths.length === 0) return undefined;
  const { root } = place;
  const part = paths.find((path) => isPluginPart(path, root));
  if (part !== undefined) return `${part} is a part of a plugin of Claude Code`;
  const others = (['user', 'managed'] as const).map((each) =>
    readObject(toSettingsFile({ place: each, env: process.env, project: root })),
  );
  const scripts = new Set([
    ...(readProjectPrograms(place)?.scripts ?? []),
    ...findScriptFiles(others.flatMap(listSettingCommands), root),
    ...others.flatMap(({ env }) => Object.values(toRecord(env)).flatMap((value) => listPaths(String(value), root))),
  ]);
  const script = paths.find((path) => scripts.has(path) || [...scripts].some((folder) => isBelow(path, folder)));
  return script === undefined ? undefined : `settings of Claude Code, such as hooks, run ${script}`;
}
