import { toPrintable } from '@klaus/sdk/printable';
import { listFixed } from '../../chat/chat-options.ts';
import { openClient } from '../../client/open-client.ts';
import { toOrigin } from '../../instance/origin.ts';
import { canAsk } from '../../output/show-output.ts';
import { out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import { checkServerOptions } from './server-options.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { type Options, toGivenServer } from '../../program/options.ts';
import { addRunOptions, checkCombination, toLimits, toSettings, toWorkingCopy } from '../../program/run-options.ts';
import { addPipedOptions, toPipedMark } from '../../prompt/piped-text.ts';
import { withFolder } from '../../setup/choose-folder.ts';
import { withLocalModel } from '../../setup/local-model.ts';
import { setUpOrLeave } from './set-up-or-leave.ts';
import { readStdin, toPromptParts } from '../../prompt/prompt-input.ts';
import { openRunResult } from '../../run/open-run-result.ts';
import { runSession, sendPrompt, toOnAsk } from '../../run/run-session.ts';

export const command: LeafCommand = {
  name: 'run',
  isDefault: true,
  summary: 'work on a prompt (the default command)',
  examples: [
    'klaus run "fix the failing test"',
    'git diff | klaus run "review this"',
    'klaus run --approve edits --budget-usd 2 "tidy up src/"',
  ],
  description: 'Works on a prompt: klaus run "…", or just klaus "…".',
  footer: 'Piped input is added as context, as a file named stdin. Without a prompt, it is the prompt.',
  server: 'both',
  declare: (declared) =>
    addPipedOptions(addRunOptions(declared.argument('[prompt...]', 'what to do; - reads it from standard input'))),
  run,
};

async function run(line: readonly string[], declared: Options): Promise<number> {
  const words = declared.prompt === undefined ? line : [declared.prompt, ...line];
  if (words.length === 0 && declared.session === undefined && process.stdin.isTTY) {
    if (isForTerminal(declared)) {
      const { chat } = await import('./chat.ts');
      const isNew = listFixed(declared).length > 0;
      const chatOptions = { ...declared, history: true, ...(isNew ? { new: true as const } : {}) };
      return await chat({ name: declared.agent, isStart: declared.agent === undefined, options: chatOptions });
    }
    throw new UsageError(
      'There is no prompt.',
      'Write it in quotes: klaus "fix the failing test". `klaus --help` lists the commands.',
    );
  }
  const local = await withLocalModel(declared);
  const options = canSetUp(local) ? await withFolder(local) : local;
  checkCombination(options);
  if (toGivenServer(options) !== undefined) checkServerOptions(options);
  if (canSetUp(options)) {
    const left = await setUpOrLeave({ ...options, prompt: words.join(' ') });
    if (left !== undefined) return left;
  }
  const result = await openRunResult(options);
  const { output } = result;
  const stdin = await readStdin();
  const isExisting = options.session !== undefined || options.continue === true;
  const { cwd, set, onAsk: givenOnAsk, waitForModel } = options;
  await using client = await openClient(options, {
    cwd,
    // The model, the mode and the limits of an existing session are changed by requests.
    settings: toSettings(isExisting ? { set, onAsk: givenOnAsk, waitForModel } : options),
    onNotice: output.note,
  });
  if (client.warning !== undefined) output.note(client.warning, 'warn');
  const settings = await client.settings();
  const given = toPromptParts({ words, stdin, maxChars: settings.maxPromptChars });
  const parts = [...given, ...result.parts];
  const piped = toPipedMark(words, stdin, options);
  const { onAsk, asks } = toOnAsk(options, settings);
  if (isExisting) {
    const session =
      options.session === undefined ? await client.latest(options) : await client.session(options.session);
    if (options.continue) output.note(`Session ${session.id}${session.title ? `, ${toPrintable(session.title)}` : ''}`);
    const run = { client, session, show: options, output, asks, onAsk };
    return await result.finish(run, await sendPrompt({ parts, onAsk, delivery: 'queue', ...piped }, run));
  }
  if (asks && options.budgetUsd === undefined && (await settings.lacksBudget(options.model)))
    output.note('No budget is set. `--budget-usd 5` sets $5 for a session, `klaus init --budget-usd 5` for each one.');
  const id = await client.open({
    parts,
    ...piped,
    onAsk,
    waitForModelMs: options.waitForModel,
    pin: options.pin,
    model: options.model,
    agent: options.agent,
    runner: options.runner,
    trustCommand: options.trustCommand,
    fallback: options.fallback,
    effort: options.effort,
    temperature: options.temperature,
    // In a script, the settings alone decide.
    mode: options.approve ?? (asks ? (await client.startMode(options.cwd)).mode : undefined),
    limits: toLimits(options),
    attended: asks,
    allowAnyWorkspace: options.allowAnyWorkspace,
    workspace: options.cwd,
    root: options.root,
    sandbox: options.sandbox,
    isolate: options.isolate,
    workingCopy: toWorkingCopy(options),
    grant: options.grant,
    allowNet: options.allowNet,
    workers: options.worker,
    ...toOrigin(process.env),
  });
  const session = { id, lastSeq: 0, mode: null };
  const run = { client, session, show: options, output, asks, onAsk };
  return await result.finish(run, await runSession(run));
}

/** True for a new session at a terminal whose agent is Klaus itself: others can have a model or a program of their own. */
function canSetUp(options: Options): boolean {
  const { session, continue: continues, agent, runner } = options;
  return [session, continues, agent, runner].every((value) => value === undefined) && canAsk(options);
}

/** True for options that a terminal takes too. */
function isForTerminal(options: Options): boolean {
  const { json, plain, outputFormat, outputSchema, pin, continue: continues } = options;
  const isRun = [json, plain, outputFormat, outputSchema, pin, continues].some((value) => value !== undefined);
  return !isRun && toWorkingCopy(options) === undefined && out.isTTY;
}
