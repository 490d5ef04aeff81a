import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { toLine } from '@klaus/sdk/printable';
import type { App } from '../app/app.ts';
import { choose } from '../app/pickers.ts';
import type { TerminalCommand } from './command.ts';

/** Folders of commands below the project and the home folder; the first one wins a name. */
const FOLDERS = ['.klaus/commands', '.claude/commands'] as const;

/**
 * The commands that the user and the project define: Markdown files whose text is a prompt. `review/api.md` is
 * `/review:api`. `$ARGUMENTS` and `$1` to `$9` are replaced by what follows the name.
 */
export function readUserCommands(folder: string): TerminalCommand[] {
  const found = new Map<string, TerminalCommand>();
  for (const root of [folder, homedir()]) {
    for (const name of FOLDERS) {
      for (const command of readFolder(join(root, name)))
        if (!found.has(command.name)) found.set(command.name, command);
    }
  }
  return [...found.values()];
}

function readFolder(folder: string): TerminalCommand[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .flatMap((entry) => {
        const path = join(entry.parentPath, entry.name);
        const name = relative(folder, path).slice(0, -'.md'.length).split(/[/\\]/).join(':');
        return /^[\w:-]+$/.test(name) ? [toCommand(name, readFileSync(path, 'utf8'))] : [];
      });
  } catch {
    return [];
  }
}

function toCommand(name: string, file: string): TerminalCommand {
  const [, header = '', body = file] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(file) ?? [];
  const field = (key: string): string | undefined => readField(header, key);
  const argument = field('argument-hint') ?? (/\$(?:ARGUMENTS|\d)/.test(body) ? '[ARGUMENTS]' : undefined);
  const first = body.split('\n').find((line) => line.trim() !== '') ?? '';
  return {
    name,
    ...(argument === undefined ? {} : { argument: toLine(argument, 60) }),
    summary: toLine(field('description') ?? first, 80),
    run: (app, given) => send(app, expand(body, given)),
  };
}

/** A field of a header, if it is on one line. */
export function readField(header: string, key: string): string | undefined {
  return new RegExp(`^${key}:[ \\t]*(.+)$`, 'm')
    .exec(header)?.[1]
    ?.trim()
    .replace(/^(['"])(.*)\1$/, '$2');
}

/** A shell command in the text of a command: !`git diff`. */
const SHELL = /!`([^`\n]+)`/g;

/** Sends the prompt after the shell commands that it contains, which the user confirms: a repository can define them. */
function send(app: App, text: string): void {
  const commands = [...text.matchAll(SHELL)].map(([, command = '']) => command);
  const prompt = text.replaceAll(SHELL, (_, command: string) => `the output of \`${command}\` above`);
  const submit = (): void => app.submit({ text: prompt, pastes: new Map() }, 'queue');
  if (commands.length === 0) return submit();
  return choose(app, {
    title: `This command runs: ${commands.map((command) => toLine(command, 80)).join('; ')}`,
    choices: [{ value: true, label: 'run it in the sandbox' }],
    onChoose: () =>
      app.do(async () => {
        for (const command of commands) await app.link.shell(command);
        submit();
      }),
  });
}

/** Replaces the arguments. Without a place for them, they follow the text. */
function expand(body: string, given: string): string {
  const words = given.split(/\s+/);
  const text = body.trim();
  const isPlaced = /\$(?:ARGUMENTS|\d)/.test(text);
  const expanded = text
    .replaceAll('$ARGUMENTS', () => given)
    .replaceAll(/\$([1-9])/g, (_, at: string) => words[Number(at) - 1] ?? '');
  return isPlaced || given === '' ? expanded : `${expanded}\n\n${given}`;
}
