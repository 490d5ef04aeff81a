import { Option } from 'commander';
import type { Klaus } from '@klaus/sdk';
import type { Guard } from '@klaus/claude-code/hooks';
import { openKlaus } from '../../client/open-klaus.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import {
  addLimitOptions,
  approveOption,
  onAskOption,
  sandboxOption,
  settingOption,
  toSettings,
} from '../../program/run-options.ts';

export const command: LeafCommand = {
  name: 'serve',
  summary: 'serve the page and the API: watch, steer and approve sessions in a browser',
  description:
    'Serves the page and the API until it is stopped. The printed address signs a browser in. The options of a run are defaults for the runs that start there.',
  footer:
    'Examples:\n  klaus serve --open\n  klaus serve --port 0 --json --approve ask\n  AGENT_API_SECRET=… klaus serve --host 0.0.0.0',
  server: 'none',
  declare: (declared) =>
    addLimitOptions(
      declared
        .option(
          '--host <address>',
          'address to listen on; one that other machines reach needs AGENT_API_SECRET',
          '127.0.0.1',
        )
        .option('--port <number>', '0 means any free port', integer(0, 65_535), 3001)
        .option('--open', 'open the page in the browser')
        .option('--json', 'print one JSON object when it is ready: url, socket, tokenFile, pid')
        .option('--cwd <folder>', 'the folder to work in (default: the current folder)')
        .option('--model <name>', 'provider/id, a tier (opus, sonnet, haiku) or a known id')
        .addOption(approveOption())
        .addOption(onAskOption)
        .addOption(sandboxOption)
        .option('--isolate', 'commands work on a layer, and their changes are reviewed before they are applied')
        .addOption(settingOption)
        .addOption(new Option('--daemon', 'started by the command line in the background').hideHelp()),
    ),
  async run(options: Options & { host: string; port: number; open?: true; daemon?: true }) {
    const { host, port, open = false, json = false, daemon: isDaemon = false } = options;
    await using klaus = await openKlaus({ cwd: options.cwd, settings: toSettings(options), endProcesses: 'close' });
    const { serve } = await import('@klaus/server');
    await serve({ klaus, host, port, open, json, isDaemon, hooks: toJudgeHook(klaus) });
  },
};

/** The guard is loaded with the first event of a hook. */
function toJudgeHook(klaus: Klaus) {
  let guard: Promise<Guard> | undefined;
  const load = async (): Promise<Guard> => {
    const [{ createAgentLog, createGuard }, { toGuardOptions }] = await Promise.all([
      import('@klaus/claude-code/hooks'),
      import('../guard/guard-options.ts'),
    ]);
    return createGuard({ ...toGuardOptions(klaus), onDecision: createAgentLog(process.env) });
  };
  return async (event: string, project: string | undefined) => (await (guard ??= load())).handle(event, project);
}
