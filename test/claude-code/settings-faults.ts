import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Break } from './hook-faults.ts';

/** Faults of the settings: no call reaches the guard, so the doctor reports them. */
export const SETTINGS: Readonly<Record<string, [break_: Break, fact: string]>> = {
  'disableAllHooks of the user': [({ settings }) => setSettings(settings, { disableAllHooks: true }), 'switched off'],
  'disableAllHooks of the project': [
    ({ place }) => setSettings(join(place.workspace, '.claude/settings.json'), { disableAllHooks: true }),
    'switched off',
  ],
  'disableAllHooks of the project, not committed': [
    ({ place }) => setSettings(join(place.workspace, '.claude/settings.local.json'), { disableAllHooks: true }),
    'switched off',
  ],
  'a program of the project before each hook': [
    ({ place }) => setProject(place, 'settings.json', { env: { CLAUDE_CODE_SHELL_PREFIX: './p.sh' } }),
    'replaced',
  ],
  'a mode without hooks, of the project': [
    ({ place }) => setProject(place, 'settings.local.json', { env: { CLAUDE_CODE_SIMPLE: '1' } }),
    'replaced',
  ],
  'settings that are no JSON': [({ settings }) => writeFileSync(settings, '{'), 'settings'],
  'one invalid entry among the hooks': [
    ({ settings }) => {
      const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as { hooks: object };
      writeFileSync(settings, JSON.stringify({ hooks: { ...hooks, Stop: 'x' } }));
    },
    'settings',
  ],
  'settings that are a folder': [
    ({ settings }) => {
      rmSync(settings);
      mkdirSync(settings);
    },
    'settings',
  ],
  'a hook without its check of the answer': [
    changeHook('PreToolUse', (entry) => {
      entry.hooks[0]!['command'] = /\((hook=.*?)\) &&/.exec(String(entry.hooks[0]!['command']))![1];
    }),
    'settings',
  ],
  'a hook for one tool': [changeHook('PreToolUse', (entry) => (entry.matcher = 'Read')), 'settings'],
  'a hook without time': [changeHook('PreToolUse', (entry) => (entry.hooks[0]!['timeout'] = 1)), 'settings'],
  'a hook that is no command': [changeHook('PreToolUse', (entry) => (entry.hooks[0]!['type'] = 'prompt')), 'settings'],
  'no hook after a call': [changeHook('PostToolUse', (entry) => (entry.hooks = [])), 'settings'],
  'a hook that is missing': [({ program }) => rmSync(program), 'hook'],
  'hooks that were removed': [({ settings }) => writeFileSync(settings, '{}'), 'settings'],
  'a hook of another version': [({ program }) => writeFileSync(program, '#!/bin/sh\necho "{}"\n'), 'hook'],
};

interface HookEntry {
  matcher?: string;
  hooks: Record<string, unknown>[];
}

function changeHook(event: string, edit: (entry: HookEntry) => unknown): Break {
  return ({ settings }) => {
    const found = JSON.parse(readFileSync(settings, 'utf8')) as { hooks: Record<string, [HookEntry]> };
    edit(found.hooks[event]![0]);
    writeFileSync(settings, JSON.stringify(found));
  };
}

function setProject({ workspace }: { workspace: string }, name: string, value: object): void {
  setSettings(join(workspace, '.claude', name), value);
}

function setSettings(file: string, value: object): void {
  mkdirSync(join(file, '..'), { recursive: true });
  let before: object = {};
  try {
    before = JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch {
    // There is none yet.
  }
  writeFileSync(file, JSON.stringify({ ...before, ...value }));
}
