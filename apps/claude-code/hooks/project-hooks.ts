import { join } from 'node:path';
import { isGuard, readSettings } from './install/settings-file.ts';

/** Hooks of a project that run before a call, and can change it after the guard has judged it. */
export interface ProjectHooks {
  /** Their files. */
  files: string[];
  /** Their text. */
  text: string;
}

/** Undefined without such hooks. A file that Claude Code cannot read either has none. */
export function readProjectHooks(root: string): ProjectHooks | undefined {
  const files: string[] = [];
  const texts: string[] = [];
  for (const name of ['settings.json', 'settings.local.json']) {
    const file = join(root, '.claude', name);
    const entries = readHooks(file).flatMap(({ hooks, ...rest }) => {
      const others = hooks.filter((hook) => !isGuard(hook));
      return others.length > 0 ? [{ ...rest, hooks: others }] : [];
    });
    if (entries.length === 0) continue;
    files.push(file);
    texts.push(JSON.stringify(entries));
  }
  return files.length > 0 ? { files, text: texts.join('\n') } : undefined;
}

function readHooks(file: string): ReturnType<typeof readSettings>['hooks'][string] {
  try {
    return readSettings(file).hooks['PreToolUse'] ?? [];
  } catch {
    return [];
  }
}
