import { mkdirSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { readForeignFileSync } from '@klaus/adapters/system';
import { KlausError, toPlaceholders } from '@klaus/core/protocol';
import { replaceFile } from '../agents/agent-file.ts';
import { orUndefined } from '../or-undefined.ts';

/** Maximum bytes of a file, and prompts of one folder. */
const MAX_BYTES = 256 * 1_024;
const MAX_PROMPTS = 500;
const NAME = /^[\w-]+(?::[\w-]+)*$/;

/** Where saved prompts are searched. */
export interface PromptPlaces {
  /** Absolute path. */
  workspace: string;
  /** The home folder of the user. */
  home: string;
  /** Klaus's own folder, by default `~/.klaus`. */
  state: string;
}

export interface PromptContent {
  /** One line; undefined: the first line of the text. */
  description?: string | undefined;
  text: string;
}

/** A prompt in a Markdown file, which is a command of the terminal and of the page. */
export interface SavedPrompt extends PromptContent {
  /** Such as `review:api` for `review/api.md`. */
  name: string;
  /** What follows the name; undefined if nothing does. */
  argumentHint?: string;
  place: 'project' | 'user';
  /** True if it is in the state folder, where {@link savePrompt} changes it. */
  isOwn: boolean;
}

/**
 * The prompts of all folders. The first folder wins a name: those of the user, then those of the project. One of the project
 * whose name the user has is `project:NAME`, so that no project replaces a command of the user.
 */
export function listPrompts({ workspace, home, state }: PromptPlaces): SavedPrompt[] {
  const folders = [
    { path: join(state, 'commands'), place: 'user' },
    { path: join(home, '.klaus/commands'), place: 'user' },
    { path: join(home, '.claude/commands'), place: 'user' },
    { path: join(workspace, '.klaus/commands'), place: 'project' },
    { path: join(workspace, '.claude/commands'), place: 'project' },
  ] as const;
  const found = new Map<string, SavedPrompt>();
  for (const { path, place } of folders) {
    // A link of the project does not lead out of it.
    const limit = place === 'project' ? workspace : undefined;
    for (const prompt of readFolder(path, limit)) {
      const isOwn = path === join(state, 'commands');
      const isTaken = place === 'project' && found.get(prompt.name)?.place === 'user';
      const name = isTaken ? `project:${prompt.name}` : prompt.name;
      if (!found.has(name)) found.set(name, { ...prompt, name, place, isOwn });
    }
  }
  return [...found.values()];
}

/**
 * Writes a prompt of the user into the state folder.
 *
 * @throws KlausError `usage` for an invalid name and a text that is empty or too large.
 */
export function savePrompt(state: string, name: string, { description, text }: PromptContent): void {
  const file = toFile(state, name);
  const line = (description ?? '').replaceAll(/\s+/g, ' ').trim();
  const header = line === '' ? '' : `---\ndescription: ${JSON.stringify(line)}\n---\n`;
  // A text that begins with a header of its own would lose it.
  const content = `${header === '' && text.startsWith('---') ? '\n' : header}${text.trim()}\n`;
  if (text.trim() === '') throw new KlausError('usage', 'The prompt is empty.', { hint: 'Write its text.' });
  if (Buffer.byteLength(content) > MAX_BYTES)
    throw new KlausError('usage', `A prompt has at most ${MAX_BYTES / 1_024} KiB.`, { hint: 'Shorten it.' });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, content);
}

/** @throws KlausError `usage` if the state folder has no prompt of this name. */
export function deletePrompt(state: string, name: string): void {
  const file = toFile(state, name);
  if (orUndefined(() => statSync(file)) === undefined) {
    throw new KlausError('usage', `There is no file of a prompt ${name}.`, {
      hint: 'Only prompts that were saved here can be deleted.',
    });
  }
  rmSync(file);
}

function toFile(state: string, name: string): string {
  if (name.length <= 100 && NAME.test(name)) return join(state, 'commands', `${name.split(':').join('/')}.md`);
  throw new KlausError('usage', 'The name of a prompt has letters, digits, `-` and `_`.', {
    hint: 'Use a name such as `review` or `review:api`.',
  });
}

/** @param limit The folder that must contain it. */
function readFolder(folder: string, limit?: string): Omit<SavedPrompt, 'place' | 'isOwn'>[] {
  const root = orUndefined(() => realpathSync(folder));
  const outer = limit === undefined ? undefined : orUndefined(() => realpathSync(limit));
  if (root === undefined || (limit !== undefined && (outer === undefined || !root.startsWith(outer + sep)))) return [];
  const entries = orUndefined(() => readdirSync(root, { recursive: true, withFileTypes: true })) ?? [];
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .slice(0, MAX_PROMPTS)
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(root, path).slice(0, -'.md'.length).split(sep).join(':');
      const file = NAME.test(name) ? readText(path) : undefined;
      return file === undefined ? [] : [toPrompt(name, file)];
    });
}

function readText(path: string): string | undefined {
  return orUndefined(() => readForeignFileSync(path, { max: MAX_BYTES }).text);
}

function toPrompt(name: string, file: string): Omit<SavedPrompt, 'place' | 'isOwn'> {
  const [, header = '', body = file] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(file) ?? [];
  const text = body.trim();
  const names = toPlaceholders(text);
  const implied = names.length > 0 ? names.map((each) => `[${each}]`).join(' ') : undefined;
  const hint =
    readField(header, 'argument-hint') ?? implied ?? (/\$(?:ARGUMENTS|\d)/.test(text) ? '[ARGUMENTS]' : undefined);
  return { name, description: readField(header, 'description'), argumentHint: hint, text };
}

/** A field of a header, if it is on one line. */
function readField(header: string, key: string): string | undefined {
  return new RegExp(`^${key}:[ \\t]*(.+)$`, 'm')
    .exec(header)?.[1]
    ?.trim()
    .replace(/^(['"])(.*)\1$/, '$2')
    .replaceAll('\\"', '"');
}
