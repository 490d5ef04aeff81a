import type { Command } from 'commander';
import type { ScanOptions } from '../commands/policy/secrets.ts';

/** `klaus secrets …`. */
export function addSecrets(program: Command, done: (exitCode: number) => void): void {
  const secrets = program.command('secrets').summary('find what looks like a secret');
  secrets
    .command('scan')
    .summary('look through files; exit code 1 when something is found')
    .description(
      'Names file, line and rule, never the secret. Files that Git ignores are looked at when they are named.',
    )
    .argument('[path...]', 'files or folders; default: the whole folder')
    .option('--json', 'one object a line')
    .option('--cwd <folder>', 'the workspace, to which paths and fingerprints are relative')
    .action(async (paths: string[], options: ScanOptions) =>
      done(await (await import('../commands/policy/secrets.ts')).scan(paths, options)),
    );
  secrets
    .command('allow')
    .summary('let a finding pass from now on')
    .description('Adds fingerprints to .klaus/secrets-allow, which belongs into the repository.')
    .argument('<fingerprint...>', 'as klaus secrets scan or a refused commit shows them')
    .option('--cwd <folder>', 'the workspace')
    .action(async (fingerprints: string[], options: { cwd?: string }) =>
      done(await (await import('../commands/policy/secrets.ts')).allow(fingerprints, options)),
    );
}
