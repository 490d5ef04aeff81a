import { type Command, Option } from 'commander';
import type { ExplainGrantOptions, RevokeGrantOptions, ShowGrantOptions } from '../commands/policy/grants.ts';

const FORMS = `
A grant is a line of parts: fs(path, rwx), net(host, port), exec or exec(first words), tool(name),
secret(name → host), model(id, …), spend($5), turns(50), spawn(depth, count); each may end in "until TIME".
"expires TIME" ends all of it; what stands behind "delegable:" may be handed on to other agents.
Bundles: file-operations, code-execution, web-access, agent-creation, deploy. Nothing else is allowed.
`;

/** `--grant`, as often as wanted. */
export function grantOption(): Option {
  return new Option(
    '--grant <text>',
    'what the session may do, such as "file-operations · exec(npm test)"; may be given more than once (klaus help grants)',
  ).argParser<readonly string[] | undefined>((text, before) => [...(before ?? []), text]);
}

/** `klaus grants …`. */
export function addGrants(program: Command, done: (exitCode: number) => void): void {
  const grants = program
    .command('grants')
    .summary('look at what a session may do, and take it back')
    .description(
      'What a session may do is given at its opening (klaus run --grant), kept in its chained log, and can only shrink.',
    )
    .addHelpText('after', FORMS);
  grants
    .command('show')
    .summary('print the grant of a session with its history')
    .argument('<id>', 'session id or its beginning')
    .option('--json', 'one JSON document')
    .action(async (id: string, options: ShowGrantOptions) =>
      done(await (await import('../commands/policy/grants.ts')).showGrant(id, options)),
    );
  grants
    .command('revoke')
    .summary('take back all or parts of a grant, at once, also while the session is at work elsewhere')
    .description(
      'Takes back all of a grant, or the named parts: as in a grant (quoted), a kind alone such as net or exec, or a bundle. Tools at work in the session are stopped; its run goes on.',
    )
    .argument('<id>', 'session id or its beginning')
    .argument('[part...]', 'such as exec, "fs(., w)" or "tool(run_command)"')
    .option('--note <text>', 'the reason, for the log')
    .option('--json', 'one JSON document')
    .addHelpText('after', '\nExample:\n  klaus grants revoke 01J exec "net(example.com)"')
    .action(async (id: string, parts: string[], options: RevokeGrantOptions) =>
      done(await (await import('../commands/policy/grants.ts')).revokeGrant(id, parts, options)),
    );
  grants
    .command('explain')
    .summary('say which part of a grant allows or denies a tool call: exit 0 allowed, 6 denied or asked')
    .description('Looks at a tool call as the gate would, in the real workspace, and runs nothing.')
    .argument('<call...>', 'the call, best in single quotes')
    .addOption(new Option('--session <id>', 'with the grant and the mode of this session').conflicts('grant'))
    .addOption(grantOption())
    .addOption(
      new Option('--approve <mode>', 'the approval mode (default: the configured one)').choices([
        'plan',
        'ask',
        'edits',
        'auto',
      ]),
    )
    .option('--cwd <folder>', 'the workspace (default: the current folder)')
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      `
Examples:
  klaus grants explain 'run_command npm test'
  klaus grants explain 'write_file src/a.ts' --grant 'fs(., r) · tool(*)'
  klaus grants explain 'read_file {"path":"x"}' --session 01J`,
    )
    .action(async (words: string[], options: ExplainGrantOptions) =>
      done(await (await import('../commands/policy/grants.ts')).explainGrant(words, options)),
    );
}
