import type { Command } from 'commander';
import type { FetchCommandOptions } from '../commands/workspace/fetch.ts';

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
    .option('--allow-host <host>', 'a further host, such as git.example.com or localhost:4873; repeatable', toHosts)
    .option('--any-host', 'do not limit the network to the registries')
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      `
The network is limited to the registries of the tools: what else a command asks for is refused and named, and
--allow-host allows it. The Docker sandbox cannot limit it, and needs --any-host. Where a tool can do so,
code of the packages runs afterwards and without a network; Maven, Gradle, pip, uv, Poetry and Bundler run code of the
project or of packages while they download. It is recorded as a session: klaus show, klaus undo.`,
    )
    .action(async (options: FetchCommandOptions) =>
      done(await (await import('../commands/workspace/fetch.ts')).fetch(options)),
    );
}

function toHosts(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
