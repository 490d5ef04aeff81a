import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { OpenRequest, SessionClient } from '@klaus/sdk/client';
import { toPrintable } from '@klaus/sdk/printable';
import { toFolder } from '../../client/open-klaus.ts';
import { openDaemonClient } from '../../daemon/open-daemon-client.ts';
import { toOrigin } from '../../instance/origin.ts';
import type { Output } from '../../output/output.ts';
import { toShortId } from '../../output/short-id.ts';
import { createOutput } from '../../output/show-output.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { IdArgument } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { integer } from '../../program/option-values.ts';
import { type Options, toGivenServer } from '../../program/options.ts';
import { addRequestOptions, addWorktreeOptions, toLimits, toWorkingCopy } from '../../program/run-options.ts';
import { addPipedOptions, toPipedMark } from '../../prompt/piped-text.ts';
import { withLocalModel } from '../../setup/local-model.ts';
import { readStdin, toPromptParts } from '../../prompt/prompt-input.ts';
import { runSession, toOnAsk } from '../../run/run-session.ts';
import { checkServerOptions } from './server-options.ts';

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
  examples: [
    'klaus start klaus "fix the failing test"',
    'klaus start reviewer "review the last commit" --count 3 --detach',
    'klaus wait $(klaus start klaus "write the docs" --detach)',
  ],
  description:
    'Starts a session of an agent in the daemon, which works on it also after this command has ended. Follows it as klaus run does; with --detach it prints the id and ends. AGENT is a name of klaus agents, or klaus.',
  server: 'both',
  declare: (declared) =>
    addWorktreeOptions(
      addRequestOptions(
        addPipedOptions(declared)
          .addArgument(new IdArgument('<agent>', 'agents'))
          .argument('<prompt...>', 'what to do; - reads it from standard input')
          .option('--count <number>', 'number of sessions that start with this prompt', integer(1, MAX_COUNT), 1)
          .option('--detach', 'print the ids of the sessions and end at once')
          .option(
            '--instance <id>',
            'the instance to which they belong, or its beginning: its current session is their parent (default: that of this terminal)',
          ),
      ),
    ),
  async run(agent: string, words: readonly string[], given: StartOptions) {
    const options = await withLocalModel(given);
    const isRemote = toGivenServer(options) !== undefined;
    if (isRemote) checkServerOptions(options);
    const output = createOutput(options);
    const stdin = await readStdin();
    const folder = toFolder(resolve(options.cwd ?? '.'));
    await using client = await openDaemonClient(options, output.note);
    if (client.warning !== undefined) output.note(client.warning, 'warn');
    const workspace = isRemote ? options.cwd : folder;
    const settings = await client.settings(workspace);
    const parts = toPromptParts({ words, stdin, maxChars: settings.maxPromptChars });
    const asking = toOnAsk(options, settings);
    // No terminal answers for a session that is only started: its questions wait.
    const onAsk = options.detach ? (options.onAsk ?? settings.onAsk ?? 'wait') : asking.onAsk;
    const origin = await findOrigin(options.instance, folder);
    const request = {
      ...toRequest({ agent, options, workspace }),
      ...origin,
      parts,
      onAsk,
      ...toPipedMark(words, stdin, options),
    };
    const ids: string[] = [];
    for (let count = 0; count < options.count; count++) {
      const id = await client.open(request);
      ids.push(id);
      if (options.detach) printStarted({ id, agent, workspace }, options);
    }
    if (options.detach) {
      if (out.isTTY && !options.json)
        err.write(
          '`klaus watch` shows what they do, `klaus attach ID` joins one, `klaus wait ID…` waits for their ends.\n',
        );
      return EXIT.done;
    }
    return await followAll({ client, ids, options, output, asks: asking.asks });
  },
};

/**
 * The instance to which the sessions belong, and its current session: of this terminal, or the one that is named.
 *
 * @throws UsageError for an instance that does not run in this project.
 */
async function findOrigin(wanted: string | undefined, folder: string): Promise<ReturnType<typeof toOrigin>> {
  if (wanted === undefined) return toOrigin(process.env);
  const [{ openInstances }, { findInstance }, { asCommand }] = await Promise.all([
    import('@klaus/sdk'),
    import('../../instance/find-instance.ts'),
    import('../../instance/socket-error.ts'),
  ]);
  const root = realpathSync(folder);
  using instances = await openInstances({ cwd: root });
  const { id, session } = asCommand(() => findInstance(instances, { project: instances.hashOf(root), wanted }));
  return { instance: id, startedBy: session ?? undefined };
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
    fallback: options.fallback,
    effort: options.effort,
    temperature: options.temperature,
    mode: options.approve,
    limits: toLimits(options),
    sandbox: options.sandbox,
    isolate: options.isolate,
    grant: options.grant,
    allowNet: options.allowNet,
    workers: options.worker,
    waitForModelMs: options.waitForModel,
    workingCopy: toWorkingCopy(options),
    trustCommand: options.trustCommand,
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
  /** Of a single session. */
  output: Output;
  asks: boolean;
}

/**
 * Follows all sessions at the same time. With several, each line begins with the short id of its session, and questions
 * are not asked here. Returns the exit code of the first one that is not done.
 */
async function followAll({ client, ids, options, output, asks }: Following): Promise<number> {
  const isOne = ids.length === 1;
  const follow = (id: string): Promise<number> =>
    runSession({
      client,
      session: { id, lastSeq: 0, mode: null },
      show: options,
      output: isOne ? output : createOutput(options, { prefix: `${toPrintable(toShortId(id))}  ` }),
      asks: isOne && asks,
    });
  const codes = await Promise.all(ids.map(follow));
  return codes.find((code) => code !== EXIT.done) ?? EXIT.done;
}
