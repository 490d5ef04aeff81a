import { Option } from 'commander';
import { toPrintable } from '@klaus/sdk/printable';
import { openClient } from '../../client/open-client.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { type Options, toGivenServer } from '../../program/options.ts';
import {
  addLimitOptions,
  allowNetOption,
  approveOption,
  grantOption,
  onAskOption,
  sandboxOption,
  settingOption,
  toLimits,
  toSettings,
  waitForModelOption,
} from '../../program/run-options.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';
import { logIn } from '../system/login.ts';
import { checkServerOptions } from './server-options.ts';

export const command: LeafCommand = {
  name: 'acp',
  summary: 'speak the Agent Client Protocol on standard input and output, for editors',
  examples: ['klaus acp                        the editor starts it: docs/guides/editors.md'],
  description:
    'An editor such as Zed, a JetBrains IDE or Neovim starts this command and shows its sessions. They are ordinary sessions: the terminal and the page can continue them. Standard output has messages of the protocol only; the log is on standard error.',
  footer: 'docs/guides/editors.md has the configuration of each editor.',
  server: 'both',
  declare: (declared) =>
    addLimitOptions(
      declared
        .option('-m, --model <name>', 'provider/id, a tier (opus, sonnet, haiku) or a known id')
        .option(
          '--agent <name>',
          'work as this agent (klaus agents lists them); other options only narrow what it may do',
        )
        .addOption(approveOption())
        .addOption(onAskOption)
        .addOption(grantOption)
        .addOption(allowNetOption)
        .addOption(sandboxOption)
        .addOption(waitForModelOption)
        .addOption(
          new Option('--protocol-version <version>', 'the newest version that is offered; 2 is a draft')
            .choices(['1', '2'])
            .default('1'),
        )
        .option('--login', 'store the key of a provider, as klaus login does, and end; editors run this in a terminal')
        .option('--isolate', 'commands work on a layer, and their changes are reviewed before they are applied')
        .addOption(settingOption),
    ),
  async run({ login, protocolVersion, ...options }: Options & { login?: true; protocolVersion: '1' | '2' }) {
    if (login) return logIn(undefined, { check: true });
    const isRemote = toGivenServer(options) !== undefined;
    if (isRemote) checkServerOptions(options);
    const {
      agent,
      allowNet,
      approve: mode,
      grant,
      isolate,
      model,
      onAsk = 'wait',
      sandbox,
      waitForModel: waitForModelMs,
    } = options;
    const log = (text: string): void => err.write(`klaus: ${toPrintable(text)}\n`);
    using stop = createInterruptSignal(['SIGINT', 'SIGTERM', 'SIGHUP']);
    const { runAcp } = await import('@klaus/acp');
    await runAcp({
      stdin: process.stdin,
      stdout: out.stream,
      log,
      signal: stop.signal,
      isRemote,
      protocolVersion: protocolVersion === '2' ? 2 : 1,
      defaults: {
        agent,
        allowNet,
        grant,
        isolate,
        limits: toLimits(options),
        mode,
        model,
        onAsk,
        sandbox,
        waitForModelMs,
      },
      open: ({ cwd, buffers }) => openClient(options, { cwd, buffers, settings: toSettings(options), onNotice: log }),
    });
    return EXIT.done;
  },
};
