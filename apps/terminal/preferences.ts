import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { THEMES, type Theme } from './style/palette.ts';

export const NOTIFICATIONS = ['desktop', 'bell', 'off'] as const;
export const KEYMAPS = ['emacs', 'vi'] as const;
export const STATUS_ITEMS = [
  'model',
  'mode',
  'context',
  'cost',
  'budget',
  'branch',
  'folder',
  'agent',
  'session',
] as const;
export type StatusItem = (typeof STATUS_ITEMS)[number];

/** What the user chose for the terminal on this machine. */
export interface Preferences {
  /** Default: by the background of the terminal. */
  theme?: Theme;
  keys: (typeof KEYMAPS)[number];
  /** The items of the status line, from left to right. */
  status: readonly StatusItem[];
  showThinking: boolean;
  /** How a session that needs the user is reported while the terminal is not in front. */
  notify: (typeof NOTIFICATIONS)[number];
  /** The terminal has said once that no budget is set. */
  knowsBudget: boolean;
}

const DEFAULTS: Preferences = {
  keys: 'emacs',
  status: ['model', 'mode', 'context', 'cost', 'budget', 'branch'],
  showThinking: false,
  notify: 'desktop',
  knowsBudget: false,
};

const toFile = (home: string): string => join(home, 'terminal.json');

/** Reads them synchronously, before the first frame. An invalid value is the default. */
export function readPreferences(home: string): Preferences {
  try {
    const read = JSON.parse(readFileSync(toFile(home), 'utf8')) as Record<string, unknown>;
    const pick = <T extends string>(key: string, allowed: readonly T[]): T | undefined =>
      allowed.find((value) => value === read[key]);
    const status = Array.isArray(read['status']) ? (read['status'] as unknown[]) : undefined;
    const theme = pick('theme', THEMES);
    return {
      keys: pick('keys', KEYMAPS) ?? DEFAULTS.keys,
      status: status
        ? status.filter((item): item is StatusItem => STATUS_ITEMS.some((known) => known === item))
        : DEFAULTS.status,
      showThinking: read['showThinking'] === true,
      knowsBudget: read['knowsBudget'] === true,
      notify: pick('notify', NOTIFICATIONS) ?? DEFAULTS.notify,
      theme,
    };
  } catch {
    return DEFAULTS;
  }
}

export function writePreferences(home: string, preferences: Preferences): void {
  const file = toFile(home);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(preferences, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
