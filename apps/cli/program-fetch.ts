import type { Command } from 'commander';
import type { FetchCommandOptions } from './commands/fetch.ts';

/** `klaus fetch`: the one command that downloads. */
export function addFetch(program: Command, done: (exitCode: number) => void): void {
  program
    .command('fetch')
    .summary('download the dependencies of the project in this folder')
    .description(
      'Finds the tools that the project uses by its files (go.mod, package-lock.json, uv.lock …), says which commands download its dependencies, asks once, and runs them in the sandbox with a network. Later sessions in this folder have what was downloaded without one.',
    )
    .option('--cwd <folder>', 'the folder (default: the current one)')
    .option('--dry-run', 'only say what would be run')
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      `
The network is on or off: it is not limited to the registries. So nothing but the listed commands gets it. Where a
tool can do so, code of the packages runs afterwards and without a network; Maven, Gradle, pip, uv, Poetry and Bundler
run code of the project or of packages while they download. It is recorded as a session: klaus show, klaus undo.`,
    )
    .action(async (options: FetchCommandOptions) => done(await (await import('./commands/fetch.ts')).fetch(options)));
}
