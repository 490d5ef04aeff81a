import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, parse } from 'jsonc-parser';
import { z } from 'zod';
import { KlausError } from '@klaus/sdk';
import { readJsonFile } from '../../settings/json-file.ts';
import { toHookCommand, toHookPath } from './hook-program.ts';

/** Where the settings are from which Claude Code takes hooks. */
export type SettingsPlace = 'user' | 'project' | 'managed';

export interface SettingsInput {
  place: SettingsPlace;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the project. */
  project: string;
}

/** Events that the guard answers. A version that does not know one ignores it. */
export const EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'SessionStart',
  'UserPromptSubmit',
] as const;

const GUARD = new RegExp(`hook='.*/guard/hook';.* set -- (?:${EVENTS.join('|')});`);

/** Seconds. */
const TIMEOUT = 60;

const hookSchema = z.looseObject({ type: z.string(), command: z.string().optional() });
const hooksSchema = z.record(
  z.string(),
  z.array(z.looseObject({ matcher: z.string().optional(), hooks: z.array(hookSchema) })),
);
type Hooks = z.infer<typeof hooksSchema>;

/** The folder of the user's configuration of Claude Code. */
export function toClaudeFolder({ env }: Pick<SettingsInput, 'env'>): string {
  return env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? '/', '.claude');
}

/** Absolute path of a settings file. */
export function toSettingsFile({ place, env, project }: SettingsInput): string {
  switch (place) {
    case 'user':
      return join(toClaudeFolder({ env }), 'settings.json');
    case 'project':
      return join(project, '.claude', 'settings.json');
    case 'managed':
      return process.platform === 'darwin'
        ? '/Library/Application Support/ClaudeCode/managed-settings.json'
        : '/etc/claude-code/managed-settings.json';
  }
}

export interface SettingsText {
  /** Empty for a file that does not exist. */
  text: string;
  settings: Record<string, unknown>;
  hooks: Hooks;
}

/** @throws KlausError `config` for a file that Claude Code could not use either. */
export function readSettings(file: string): SettingsText {
  const { text, object: settings } = readJsonFile(file);
  const hooks = hooksSchema.safeParse(settings['hooks'] ?? {});
  if (!hooks.success) {
    const [issue] = hooks.error.issues;
    throw new KlausError(
      'config',
      `The hooks in ${file} are invalid: ${['hooks', ...issue!.path].join('.')}: ${issue!.message}.`,
      {
        hint: 'Claude Code drops every hook of a file with one invalid entry. Correct it; nothing was changed.',
      },
    );
  }
  return { text, settings, hooks: hooks.data };
}

/** The text of the settings with the hooks of the guard, and everything else as it was. `program` null: without them. */
export function withGuard({ text, hooks }: SettingsText, program: string | null): string {
  let changed = text.trim() === '' ? '{}\n' : text;
  const names = new Set([...Object.keys(hooks), ...(program === null ? [] : EVENTS)]);
  for (const name of names) {
    const before = hooks[name] ?? [];
    const kept = before.flatMap((entry) => {
      const others = entry.hooks.filter((hook) => !isGuard(hook));
      return others.length === entry.hooks.length ? [entry] : others.length > 0 ? [{ ...entry, hooks: others }] : [];
    });
    const isOurs = program !== null && (EVENTS as readonly string[]).includes(name);
    const entries = isOurs ? [...kept, toEntry(name, toHookCommand(program, name))] : kept;
    if (JSON.stringify(entries) === JSON.stringify(before)) continue;
    changed = edit(changed, ['hooks', name], entries.length > 0 ? entries : undefined);
  }
  const { hooks: left } = parse(changed) as { hooks?: object };
  return left && Object.keys(left).length === 0 ? edit(changed, ['hooks'], undefined) : changed;
}

function edit(text: string, path: string[], value: unknown): string {
  const [, indent = '  '] = /^\{\s*\n(\s+)"/.exec(text) ?? [];
  const formattingOptions = {
    insertSpaces: !indent.includes('\t'),
    tabSize: Math.max(1, indent.length),
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return applyEdits(text, modify(text, path, value, { formattingOptions }));
}

/**
 * `onFailure` closes most failures since 2.1.295. The shell closes them in every version: what is no complete answer
 * denies the call.
 *
 * @param call The shell command that answers the event.
 */
export function toEntry(event: string, call: string) {
  const isCall = event === 'PreToolUse';
  const command = isCall
    ? `answer=$(${call}) && case $answer in '{'*'}') printf '%s' "$answer" ;; *) false ;; esac || { echo 'klaus guard: the hook failed' >&2; exit 2; }`
    : call;
  return {
    ...(event.includes('ToolUse') ? { matcher: '*' } : {}),
    hooks: [{ type: 'command', command, timeout: TIMEOUT, ...(isCall ? { onFailure: 'block' } : {}) }],
  };
}

/** True if each event has the hook that an installation with this program writes, unchanged. */
export function hasGuard({ hooks }: Pick<SettingsText, 'hooks'>, program: string): boolean {
  return EVENTS.every((name) =>
    (hooks[name] ?? []).some((entry) => isDeepStrictEqual(entry, toEntry(name, toHookCommand(program, name)))),
  );
}

/** True for the unchanged hook that the Klaus of this state folder installs for an event. */
export function isGuardOf(home: string, event: string, hook: unknown): boolean {
  return isDeepStrictEqual(hook, toEntry(event, toHookCommand(toHookPath(home), event)).hooks[0]);
}

/** A hook that Klaus installed, from any state folder. */
export function isGuard({ command }: { command?: string }): boolean {
  return command !== undefined && GUARD.test(command);
}
