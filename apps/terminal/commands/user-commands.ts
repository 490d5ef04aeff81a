import { toHome, toUserHome } from '@klaus/sdk/home';
import { toLine } from '@klaus/sdk/printable';
import { expandPrompt, listPrompts } from '@klaus/sdk/prompts';
import type { App } from '../app/app.ts';
import { choose } from '../app/pickers.ts';
import type { TerminalCommand } from './command.ts';

/** The saved prompts of the user and the project as commands. */
export function readUserCommands(folder: string): TerminalCommand[] {
  const places = { workspace: folder, home: toUserHome(process.env), state: toHome(process.env, folder) };
  return listPrompts(places).map(({ name, description, argumentHint, text }) => ({
    name,
    ...(argumentHint === undefined ? {} : { argument: toLine(argumentHint, 60) }),
    summary: toLine(description ?? text.split('\n')[0] ?? '', 80),
    run: (app, given) => send(app, expandPrompt(text, given)),
  }));
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
