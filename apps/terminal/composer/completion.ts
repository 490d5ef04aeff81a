import { toLine, toPrintable } from '@klaus/sdk/printable';
import { fuzzyFilter, type AutocompleteItem, type AutocompleteProvider } from '../screen/index.ts';

/** A command that begins with a slash, as the completion lists it. */
export interface CompletedCommand {
  name: string;
  argument?: string;
  summary: string;
}

export interface CompletionSources {
  commands: () => readonly CompletedCommand[];
  /** Paths that match, the best first. */
  findFiles: (characters: string, limit: number) => Promise<readonly string[]>;
}

const MAX_FILES = 20;
const COMMAND = /^\/([\w:-]*)$/;
/** A word that begins with `@`, at the end of a text. */
const MENTION = /(?:^|\s)(@[^\s@]*)$/;

/** Completes commands at the beginning of a prompt, and names of files after `@`. */
export function createCompletion({ commands, findFiles }: CompletionSources): AutocompleteProvider {
  return {
    triggerCharacters: ['@', '/'],
    async getSuggestions(...[lines, cursorLine, cursorColumn, { signal }]) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorColumn);
      const [, name] = (cursorLine === 0 && COMMAND.exec(before)) || [];
      if (name !== undefined) {
        const found = name === '' ? [...commands()] : fuzzyFilter([...commands()], name, (command) => command.name);
        return found.length === 0 ? null : { items: found.map(toItem), prefix: before };
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
    shouldTriggerFileCompletion: () => false,
  };
}

function toItem({ name, argument, summary }: CompletedCommand): AutocompleteItem {
  return { value: `/${name}`, label: `/${name}${argument === undefined ? '' : ` ${argument}`}`, description: summary };
}
