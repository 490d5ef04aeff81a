import { stripVTControlCharacters } from 'node:util';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import {
  fuzzyFilter,
  truncateToWidth,
  visibleWidth,
  type AutocompleteItem,
  type AutocompleteProvider,
} from '../screen/index.ts';

/** A command that begins with a slash, as the completion lists it. */
export interface CompletedCommand {
  name: string;
  argument?: string;
  summary: string;
}

export interface CompletionSources {
  /** Those whose arguments are completed. */
  commands: () => readonly CompletedCommand[];
  allCommands: () => Promise<readonly CompletedCommand[]>;
  /** Columns of the window. */
  columns: () => number;
  /** Paths that match, the best first. */
  findFiles: (characters: string, limit: number) => Promise<readonly string[]>;
}

const MAX_FILES = 20;
const COMMAND = /^\/([\w:-]*)$/;
/** A command and the beginning of its argument. */
const ARGUMENT = /^\/([\w:-]+) +(\S*)$/;
/** The text of an argument that is one of several words, such as `[on|off]`. */
const CHOICES = /^\[(\w+(?:\|\w+)+)\]$/;
/** A word that begins with `@`, at the end of a text. */
const MENTION = /(?:^|\s)(@[^\s@]*)$/;

/** Completes commands at the beginning of a prompt and the words of their arguments, and names of files after `@`. */
export function createCompletion({
  commands,
  allCommands,
  columns,
  findFiles,
}: CompletionSources): AutocompleteProvider {
  const findChoices = (before: string, isFirstLine: boolean): readonly string[] => {
    const [, name, word = ''] = (isFirstLine && ARGUMENT.exec(before)) || [];
    const { argument = '' } = commands().find((command) => command.name === name) ?? {};
    const choices = CHOICES.exec(argument)?.[1]?.split('|') ?? [];
    return choices.filter((choice) => choice.startsWith(word.toLowerCase()));
  };
  return {
    triggerCharacters: ['@', '/'],
    async getSuggestions(...[lines, cursorLine, cursorColumn, { signal, force }]) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorColumn);
      const [, name] = (cursorLine === 0 && COMMAND.exec(before)) || [];
      if (name !== undefined) {
        const all = [...(await allCommands())];
        const found = name === '' ? all : fuzzyFilter(all, name, (command) => command.name);
        return signal.aborted || found.length === 0 ? null : { items: toItems(found, columns()), prefix: before };
      }
      const choices = findChoices(before, cursorLine === 0);
      // After a command alone, Enter runs it without an argument.
      if (choices.length > 0 && (force || !before.endsWith(' '))) {
        const start = before.slice(0, before.lastIndexOf(' ') + 1);
        return { items: choices.map((choice) => ({ value: start + choice, label: choice })), prefix: before };
      }
      const [, mention] = MENTION.exec(before) ?? [];
      if (mention === undefined) return null;
      const found = await findFiles(mention.slice(1), MAX_FILES);
      // A name with control characters would act on the terminal.
      const paths = found.filter((path) => toPrintable(path) === path);
      if (signal.aborted || paths.length === 0) return null;
      return { items: paths.map((path) => ({ value: `@${path}`, label: toLine(path, 200) })), prefix: mention };
    },
    applyCompletion(...[lines, cursorLine, cursorColumn, item, prefix]) {
      const line = lines[cursorLine] ?? '';
      const start = cursorColumn - prefix.length;
      const text = `${item.value} `;
      const next = [...lines];
      next[cursorLine] = line.slice(0, start) + text + line.slice(cursorColumn).replace(/^ /, '');
      return { lines: next, cursorLine, cursorCol: start + text.length };
    },
    shouldTriggerFileCompletion: (lines, cursorLine, cursorColumn) =>
      findChoices((lines[cursorLine] ?? '').slice(0, cursorColumn), cursorLine === 0).length > 0,
  };
}

/** Columns of the longest label, and those around the two columns of the library's list. */
const MAX_LABEL = 30;
const AROUND = 10;

/** The rows of a list of commands. The library would cut them inside of words. */
function toItems(commands: readonly CompletedCommand[], columns: number): AutocompleteItem[] {
  const labels = commands.map(({ name, argument }) => `/${name}${argument === undefined ? '' : ` ${argument}`}`);
  const widest = Math.min(MAX_LABEL, Math.max(...labels.map((label) => visibleWidth(label))));
  const space = columns - Math.max(widest, 10) - AROUND;
  return commands.map(({ name, summary }, index) => ({
    value: `/${name}`,
    label: cut(labels[index]!, MAX_LABEL, '…'),
    description: cutAtWord(summary, space),
  }));
}

/** A text of at most so many columns, cut after a word. */
function cutAtWord(text: string, width: number): string {
  if (visibleWidth(text) <= width) return text;
  const head = cut(text, Math.max(1, width - 1), '');
  // It may end with a word by chance.
  const end = text[head.length] === ' ' ? head.length : head.lastIndexOf(' ');
  return `${end > 0 ? head.slice(0, end) : head}…`;
}

/** The library resets the colours of what it cuts, also of a text without colours. */
function cut(text: string, width: number, ellipsis: string): string {
  return stripVTControlCharacters(truncateToWidth(text, width, ellipsis));
}
