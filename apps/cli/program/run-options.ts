import type { Effort, Limits } from '@klaus/sdk';
import { optional } from '@klaus/sdk/optional';
import { type Command, Option } from 'commander';
import { UsageError } from './cli-error.ts';
import {
  integer,
  repeatable,
  toAmount,
  toDuration,
  toFolderPath,
  toSeconds,
  toSetting,
  toNames,
  toTemperature,
  toVariable,
} from './option-values.ts';
import { OUTPUT_FORMATS, type Options, toOutputFormat } from './options.ts';

/** What `--raw` does, for every command that has it. */
export const RAW_OPTION = 'print the text of models and commands unchanged, with its control characters';

export const waitForModelOption = new Option(
  '--wait-for-model <time>',
  'retry for this long while the model is unreachable or overloaded: 30m, 2h, 1d',
).argParser(toDuration);

export const onAskOption = choiceOption('--on-ask <choice>', 'what to do with a question when no user can answer it', [
  'deny',
  'wait',
]);

export function approveOption(description = 'what is allowed without an approval'): Option {
  return choiceOption('--approve <mode>', description, ['plan', 'ask', 'edits', 'auto']);
}

export const sandboxOption = choiceOption('--sandbox <driver>', 'where commands run; host means without a sandbox', [
  'bubblewrap',
  'docker',
  'kubernetes',
  'host',
]);

const fallbackOption = new Option(
  '--fallback <models>',
  'at most three models, with commas between them, that answer while the model cannot',
).argParser(toNames);

const effortOption = choiceOption('--effort <level>', 'how much the model reasons (default: that of the model)', [
  'low',
  'medium',
  'high',
  'max',
] satisfies readonly Effort[]);

const runnerOption = choiceOption('--runner <name>', 'the program that drives the agent, instead of Klaus', [
  'acp',
  'claude-code',
] satisfies readonly Options['runner'][]);

export const settingOption = new Option(
  '--set <key=value>',
  'any setting, such as sandbox.timeoutMs=300000 (klaus config lists them)',
).argParser(repeatable(toSetting));

export const grantOption = new Option(
  '--grant <text>',
  'what the session may do, such as "file-operations · exec(npm test)"; repeatable (klaus help grants)',
).argParser(repeatable());

export const allowNetOption = new Option(
  '--allow-net <hosts>',
  'what commands with a network reach: npm, pypi, crates, go, github, or hosts such as example.com; commas between them (docs/network.md)',
).argParser(repeatable());

export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
}

export const outputFormatOption = choiceOption(
  '--output-format <format>',
  'what standard output has: the answer, one JSON document at the end, or the events (as --json)',
  OUTPUT_FORMATS,
).conflicts('json');

export function addShowOptions(command: Command): Command {
  return command
    .option('--json', 'print the events as NDJSON on standard output, and nothing else')
    .option('--plain', 'words instead of symbols, no colours, no animation: for screen readers')
    .option('--raw', RAW_OPTION)
    .option('--timeout <seconds>', 'cancel the run after this time (exit code 9)', toSeconds);
}

export function addLimitOptions(command: Command): Command {
  return command
    .option('--budget-usd <amount>', 'US dollars that the session may cost; 0 means unlimited', toAmount)
    .option('--budget-tokens <count>', 'tokens that the session may use; 0 means unlimited', integer(0))
    .option('--max-turns <count>', 'model turns of the session; 0 means unlimited', integer(0))
    .option('--max-tool-calls <count>', 'tool calls of the session; 0 means unlimited', integer(0))
    .option('--max-minutes <count>', 'minutes in which models may work for the session; 0 means unlimited', toAmount);
}

/** The options of a session with a working copy. */
export function addWorktreeOptions(command: Command): Command {
  return command
    .option('--worktree', 'work in a private clone of the repository, on a branch of its own (docs/working-copies.md)')
    .option('--with-changes', 'with --worktree: the clone starts with the uncommitted changes')
    .option('--trust-command', 'a definition or a set-up command of the project may run the program that it names');
}

/** What the options ask for. @throws UsageError for `--with-changes` alone. */
export function toWorkingCopy({ worktree, withChanges }: Options): { withChanges: boolean } | undefined {
  if (withChanges && !worktree) throw new UsageError('--with-changes requires --worktree.');
  return worktree ? { withChanges: withChanges === true } : undefined;
}

export function addRunOptions(command: Command): Command {
  command.option('-p, --prompt <text>', 'the prompt');
  return addWorktreeOptions(addOpenOptions(command))
    .addOption(outputFormatOption)
    .option(
      '--output-schema <file>',
      'a JSON Schema that the answer must match; the answer is printed as JSON, and asked for again at most twice; patterns that cannot be tested in linear time are not checked',
    )
    .option('--agent <name>', 'work as this agent (klaus agents lists them); other options only narrow what it may do')
    .option('--session <id>', 'continue this session; the beginning of its id is enough')
    .option('-c, --continue', 'continue the latest session of this folder that takes a prompt')
    .option('--pin', 'keep this prompt in the context unchanged, however long the session becomes');
}

/** The options with which a session is opened and its runs are shown. */
export function addOpenOptions(command: Command): Command {
  return addRequestOptions(command)
    .option(
      '--env <name>',
      'a variable of yours that commands get, instead of sandbox.env; repeatable',
      repeatable(toVariable),
    )
    .option('--root <folder>', 'the folder around the workspace that commands may read (default: its repository)')
    .option(
      '--add-dir <folder>',
      'another folder to read (:ro, the default) or to change too (:rw); repeatable',
      repeatable(toFolderPath),
    )
    .option('--allow-any-workspace', 'accept /, the home folder and other unusual places as a workspace')
    .addOption(settingOption);
}

/** Those of them that a server takes too. */
export function addRequestOptions(command: Command): Command {
  command
    .option('-C, --cwd <folder>', 'the folder to work in (default: the current folder)')
    .option('-m, --model <name>', 'provider/id, a tier (opus, sonnet, haiku), a known id, or local')
    .option('--yes', 'allow the model server on this machine that --model names, without a question')
    .addOption(fallbackOption)
    .addOption(effortOption)
    .option('--temperature <number>', 'sampling temperature, from 0 to 2 (default: that of the model)', toTemperature)
    .addOption(approveOption())
    .addOption(onAskOption)
    .addOption(grantOption)
    .addOption(allowNetOption)
    .option(
      '--worker <name>',
      'an agent that the session can give tasks, with its own authority; repeatable',
      repeatable(),
    )
    .addOption(sandboxOption)
    .addOption(runnerOption)
    .addOption(waitForModelOption)
    .option('--isolate', 'commands work on a layer, and their changes are reviewed before they are applied');
  return addShowOptions(addLimitOptions(command));
}

/** The limits that the options set; undefined if they set none. */
export function toLimits(options: Options): Partial<Limits> | undefined {
  const limits = optional({
    usd: options.budgetUsd,
    tokens: options.budgetTokens,
    turns: options.maxTurns,
    toolCalls: options.maxToolCalls,
    minutes: options.maxMinutes,
  });
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** The options as settings, by key. The last `--set` of a key wins. */
export function toSettings(options: Options): Record<string, unknown> {
  const { set = [] } = options;
  const given = set.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]);
  const limits = Object.entries(toLimits(options) ?? {}).map(([name, value]) => [`limits.${name}`, value]);
  return {
    ...Object.fromEntries(given),
    ...optional({
      model: options.model,
      approve: options.approve,
      onAsk: options.onAsk,
      'sandbox.driver': options.sandbox,
      'sandbox.env': options.env,
      'sandbox.folders': options.addDir,
      isolate: options.isolate,
      'retry.waitMs': options.waitForModel,
    }),
    ...Object.fromEntries(limits),
  };
}

/** @throws UsageError for options that contradict each other, or that cannot change in an existing session. */
export function checkCombination(options: Options): void {
  if (options.outputSchema !== undefined && toOutputFormat(options) === 'stream-json') {
    throw new UsageError(
      '--output-schema and events on standard output exclude each other.',
      'Use `--output-format json`: its field `result` has the answer.',
    );
  }
  const { session, continue: isContinued } = options;
  if (session !== undefined && isContinued) {
    throw new UsageError('--session and --continue exclude each other.', 'Give only one of them.');
  }
  if (session === undefined && !isContinued) return;
  const fixed = [
    ...(options.sandbox ? ['--sandbox'] : []),
    ...(options.agent === undefined ? [] : ['--agent']),
    ...(options.grant ? ['--grant'] : []),
    ...(options.allowNet ? ['--allow-net'] : []),
    ...(options.worker ? ['--worker'] : []),
    ...(options.fallback ? ['--fallback'] : []),
    ...(options.effort ? ['--effort'] : []),
    ...(options.temperature === undefined ? [] : ['--temperature']),
    ...(session !== undefined && options.root !== undefined ? ['--root'] : []),
    ...(options.addDir ? ['--add-dir'] : []),
    ...(options.worktree ? ['--worktree'] : []),
    ...(session !== undefined && options.cwd !== undefined ? ['--cwd'] : []),
  ];
  if (fixed.length === 0) return;
  throw new UsageError(
    `${fixed.join(' and ')} cannot change in an existing session.`,
    'Leave it out, or start a new session.',
  );
}
