import { type Command, Option } from 'commander';
import { RAW_OPTION } from './run-options.ts';
import type {
  MemoryGetOptions,
  MemoryListOptions,
  MemoryOptions,
  MemorySetOptions,
} from '../commands/system/memory.ts';

/** `klaus memory …`: what is remembered from session to session. */
export function addMemory(program: Command, done: (exitCode: number) => void): void {
  const memory = program
    .command('memory')
    .summary('see and change what is remembered about a project')
    .description(
      'What sessions and you have noted about a project. Its notes are in the context of every new session there, those of the category "pinned" first.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  klaus memory set tests "npm test -- --run; never the watch mode" --category pinned',
    );
  const cwd = () => new Option('--cwd <folder>', 'the project. Default: this folder');
  const scope = () => new Option('--global', 'what holds for all projects');
  const load = async () => import('../commands/system/memory.ts');
  memory
    .command('list')
    .summary('list the notes, the latest first')
    .option('--category <name>', 'only these')
    .addOption(scope())
    .option('--json', 'one object a line')
    .addOption(cwd())
    .action(async (options: MemoryListOptions) => done(await (await load()).list(options)));
  memory
    .command('search')
    .summary('find notes by words')
    .argument('<words...>', 'the beginning of a word is enough')
    .option('--json', 'one object a line')
    .addOption(cwd())
    .action(async (words: string[], options: MemoryListOptions) => done(await (await load()).search(words, options)));
  memory
    .command('get')
    .summary('print one note')
    .argument('<key>', 'its name')
    .addOption(scope())
    .addOption(cwd())
    .option('--raw', RAW_OPTION)
    .action(async (key: string, options: MemoryGetOptions) => done(await (await load()).get(key, options)));
  memory
    .command('set')
    .summary('note something')
    .argument('<key>', 'its name')
    .argument('<value>', 'the note')
    .option('--category <name>', 'a word to list it under; pinned ones come first')
    .addOption(scope())
    .addOption(cwd())
    .action(async (key: string, value: string, options: MemorySetOptions) =>
      done(await (await load()).set({ key, value }, options)),
    );
  memory
    .command('delete')
    .summary('forget a note')
    .argument('<key>', 'its name')
    .addOption(scope())
    .addOption(cwd())
    .action(async (key: string, options: MemoryOptions) => done(await (await load()).forget(key, options)));
}
