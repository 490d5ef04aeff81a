import type { EventEmitter } from 'node:events';
import { SETTING_KEYS, SETTINGS, type Setting } from '@klaus/core/protocol';
import { VERSION } from '@klaus/sdk/version';
import { EXIT, EXIT_MEANINGS, type ExitName } from '../apps/cli/program/exit-codes.ts';
import type { createProgram } from '../apps/cli/program/program.ts';

type Command = Awaited<ReturnType<typeof createProgram>>;

/** `klaus.1`: every command with its options, the exit codes and the variables, as roff with the macros of man(7). */
export function toManPage(program: Command): string {
  const name = program.name();
  const variables = SETTING_KEYS.map((key): Setting => SETTINGS[key]).filter(({ env }) => env !== undefined);
  return [
    `.TH ${name.toUpperCase()} 1 "" "${name} ${VERSION}" "User Commands"`,
    '.SH NAME',
    `${toRoff(name)} \\- ${toRoff(toPhrase(program.description()))}`,
    '.SH SYNOPSIS',
    ...toSynopsis(name, program.usage()),
    '.SH DESCRIPTION',
    ...toParagraph(program.description()),
    ...toExample(toFooter(program)),
    '.SH COMMANDS',
    ...toCommands(program, name),
    '.SH EXIT STATUS',
    ...(Object.keys(EXIT) as ExitName[]).flatMap((each) => toItem(String(EXIT[each]), EXIT_MEANINGS[each])),
    '.SH ENVIRONMENT',
    ...variables.flatMap(({ env, description }) => toItem(env!, description)),
    '.SH FILES',
    ...toItem('~/.klaus', 'State of the user: sessions, agents, logs. `KLAUS_HOME` names another folder.'),
    ...toItem('~/.klaus/config.yaml', 'Settings of the user. `klaus config` lists all settings with their sources.'),
    ...toItem('.klaus/config.yaml', 'Settings of a project, which can only narrow those of the user.'),
    '',
  ].join('\n');
}

/** What follows `name \-` in NAME: one line, without a full stop. */
function toPhrase(description: string): string {
  const [first = ''] = description.split('. ');
  return first.charAt(0).toLowerCase() + first.slice(1).replace(/\.$/, '');
}

function toSynopsis(name: string, usage: string): string[] {
  return usage.split('\n').flatMap((line) => {
    const words = line.trim().replace(new RegExp(`^${name} `), '');
    return [`.B ${toRoff(name)}`, toRoff(words), '.br'];
  });
}

function toCommands(command: Command, name: string): string[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  return children.flatMap((child) => {
    const path = `${name} ${child.name()}`;
    const inner = help.visibleCommands(child).filter((each) => each.name() !== 'help');
    const own = [
      `.SS ${toArgument(`${path} ${child.usage()}`)}`,
      ...toParagraph(child.description() || child.summary()),
      ...help.visibleArguments(child).flatMap((each) => toItem(each.name(), help.argumentDescription(each))),
      ...help.visibleOptions(child).flatMap((each) => toItem(help.optionTerm(each), help.optionDescription(each))),
      ...toExample(toFooter(child)),
    ];
    return inner.length === 0 ? own : [...own, ...toCommands(child, path)];
  });
}

/** The text below the help of a command. */
function toFooter(command: Command): string {
  let text = '';
  // Commander declares no event of its own in its types.
  (command as unknown as EventEmitter).emit('afterHelp', {
    error: false,
    command,
    write: (part: string) => (text += part),
  });
  return text.trim();
}

function toParagraph(text: string): string[] {
  return text === '' ? [] : ['.PP', toRoff(text)];
}

/** A term with its description. */
function toItem(term: string, text: string): string[] {
  return ['.TP', `\\fB${toRoff(term)}\\fR`, toRoff(text === '' ? ' ' : text)];
}

/** Lines that keep their breaks. */
function toExample(text: string): string[] {
  return text === '' ? [] : ['.PP', '.nf', ...text.split('\n').map(toLine), '.fi'];
}

/** An argument of a macro. A quote in it would end it. */
function toArgument(text: string): string {
  return `"${toRoff(text).replaceAll('"', '\\(dq')}"`;
}

/** Text to be filled, with `code` of Markdown in bold. */
function toRoff(text: string): string {
  return toLine(text.replaceAll(/\s*\n\s*/g, ' ')).replaceAll(/\\\(ga([^`]+?)\\\(ga/g, '\\fB$1\\fR');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** One line in which no character has a meaning of its own. Other programs than groff do not read UTF-8. */
function toLine(text: string): string {
  const escaped = text.replaceAll(/[\\\-'`^~]|[^\u0000-\u007f]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return ESCAPES[character] ?? `\\[u${code}]`;
  });
  // A line that begins with a dot is a macro.
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped;
}
