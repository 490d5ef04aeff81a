import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { OpenRequest, SessionClient } from '@klaus/sdk/client';
import { toPrintable } from '@klaus/sdk/printable';
import { toFolder } from '../../client/open-klaus.ts';
import { openDaemonClient } from '../../daemon/open-daemon-client.ts';
import { isUlid, toOrigin } from '../../instance/origin.ts';
import type { Output } from '../../output/output.ts';
import { createOutput } from '../../output/show-output.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { IdArgument } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { integer } from '../../program/option-values.ts';
import { type Options, toGivenServer } from '../../program/options.ts';
import { addRequestOptions, addWorktreeOptions, toLimits, toWorkingCopy } from '../../program/run-options.ts';
import { readStdin, toPromptParts } from '../../prompt/prompt-input.ts';
import { runSession, toOnAsk } from '../../run/run-session.ts';
import { checkServerOptions } from './run.ts';

/** Most sessions of one command. */
const MAX_COUNT = 100;

/** The built-in agent, which has no definition. */
const BUILT_IN = 'klaus';

interface StartOptions extends Options {
  count: number;
  instance?: string;
  detach?: true;
}

export const command: LeafCommand = {
  name: 'start',
  summary: 'start an agent on a prompt in the background',
  description:
    'Starts a session of an agent in the daemon, which works on it also after this command has ended. Follows it as klaus run does; with --detach it prints the id and ends. AGENT is a name of klaus agents, or klaus.',
  footer:
    'Examples:\n  klaus start klaus "fix the failing test"\n  klaus start reviewer "review the last commit" --count 3 --detach\n  klaus wait $(klaus start klaus "write the docs" --detach)',
  server: 'both',
  declare: (declared) =>
    addWorktreeOptions(
      addRequestOptions(
        declared
          .addArgument(new IdArgument('<agent>', 'agents'))
          .argument('<prompt...>', 'what to do; - reads it from standard input')
          .option('--count <number>', 'number of sessions that start with this prompt', integer(1, MAX_COUNT), 1)
          .option('--detach', 'print the ids of the sessions and end at once')
          .option(
            '--instance <id>',
            'the instance to which they belong (default: that of this terminal)',
            toUlidArgument,
          ),
      ),
    ),
  async run(agent: string, words: readonly string[], options: StartOptions) {
    const isRemote = toGivenServer(options) !== undefined;
    if (isRemote) checkServerOptions(options);
    const output = createOutput(options);
    const stdin = await readStdin();
    const folder = toFolder(resolve(options.cwd ?? '.'));
    await using client = await openDaemonClient(options, output.note);
    if (client.warning !== undefined) output.note(client.warning, 'warn');
    const settings = await client.settings();
    const parts = toPromptParts({ words, stdin, maxChars: settings.maxPromptChars });
    const asking = toOnAsk(options, settings);
    // No terminal answers for a session that is only started: its questions wait.
    const onAsk = options.detach ? (options.onAsk ?? settings.onAsk ?? 'wait') : asking.onAsk;
    const workspace = isRemote ? options.cwd : folder;
    const request = { ...toRequest({ agent, options, workspace }), parts, onAsk };
    const ids: string[] = [];
    for (let count = 0; count < options.count; count++) {
      const id = await client.open(request);
      ids.push(id);
      if (options.detach) printStarted({ id, agent, workspace }, options);
    }
    return options.detach ? EXIT.done : await followAll({ client, ids, options, output, onAsk, asks: asking.asks });
  },
};

/** @throws InvalidArgumentError for another text. */
function toUlidArgument(text: string): string {
  const id = text.toUpperCase();
  if (!isUlid(id)) throw new InvalidArgumentError('It is no id. `klaus instances` lists the instances.');
  return id;
}

/** What the options ask for, but the prompt. Every field is passed to the server. */
function toRequest(given: {
  agent: string;
  options: StartOptions;
  workspace: string | undefined;
}): Omit<OpenRequest, 'parts' | 'onAsk'> {
  const { agent, options, workspace } = given;
  return {
    agent: agent === BUILT_IN ? undefined : agent,
    workspace,
    runner: options.runner,
    model: options.model,
    effort: options.effort,
    temperature: options.temperature,
    mode: options.approve,
    limits: toLimits(options),
    sandbox: options.sandbox,
    isolate: options.isolate,
    grant: options.grant,
    workers: options.worker,
    waitForModelMs: options.waitForModel,
    workingCopy: toWorkingCopy(options),
    ...toOrigin(process.env),
    ...(options.instance === undefined ? {} : { instance: options.instance }),
  };
}

function printStarted(
  { id, agent, workspace }: { id: string; agent: string; workspace: string | undefined },
  { json }: Options,
): void {
  if (json) out.json({ session: id, agent, workspace });
  else out.write(`${id}\n`);
}

interface Following {
  client: SessionClient;
  ids: readonly string[];
  options: StartOptions;
  output: Output;
  onAsk: 'deny' | 'wait';
  asks: boolean;
}

/** Follows the sessions one after the other. Returns the exit code of the first one that is not done. */
async function followAll({ client, ids, options, output, onAsk, asks }: Following): Promise<number> {
  let exitCode: number = EXIT.done;
  for (const id of ids) {
    if (ids.length > 1) err.write(`Session ${toPrintable(id)}\n`);
    const run = { client, session: { id, lastSeq: 0, mode: null }, show: options, output, asks, onAsk };
    const code = await runSession(run);
    if (exitCode === EXIT.done) exitCode = code;
  }
  return exitCode;
}
