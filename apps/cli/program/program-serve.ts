import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ServeCommandOptions } from '../commands/system/serve.ts';
import { addLimitOptions, onAskOption, sandboxOption, settingOption } from './run-options.ts';

export function addServe(program: Command, done: (exitCode: number) => void): void {
  const serve = program
    .command('serve')
    .summary('serve the page and the API: watch, steer and approve sessions in a browser')
    .description(
      'Serves the page and the API until it is stopped. The address that it prints signs a browser in. Options of a run are defaults for the runs that begin there.',
    )
    .option('--host <address>', 'address to listen on; one that others reach needs AGENT_API_SECRET', '127.0.0.1')
    .option('--port <number>', '0 takes a free one', toPort, 3001)
    .option('--open', 'open the page in the browser')
    .option('--json', 'say that it is ready as one JSON object: url, socket, tokenFile, pid')
    .option('--cwd <folder>', 'the folder to work in (default: the current one)')
    .option('--model <name>', 'provider/id, a tier (opus, sonnet, haiku) or a known id')
    .addOption(
      new Option('--approve <mode>', 'what passes without a question').choices(['plan', 'ask', 'edits', 'auto']),
    )
    .addOption(onAskOption())
    .addOption(sandboxOption())
    .option('--isolate', 'commands work on a layer, and what they changed is reviewed before it is kept')
    .addOption(settingOption());
  addLimitOptions(serve)
    .addHelpText(
      'after',
      '\nExamples:\n  klaus serve --open\n  klaus serve --port 0 --json --approve ask\n  AGENT_API_SECRET=… klaus serve --host 0.0.0.0',
    )
    .action(async (options: ServeCommandOptions) => {
      done(await (await import('../commands/system/serve.ts')).serveCommand(options));
    });
}

function toPort(text: string): number {
  const port = Number(text);
  if (text.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
  }
  return port;
}
