import type { Limits, Mode, OnAsk, SandboxName } from '@klaus/sdk';
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
  toVariable,
} from './option-values.ts';
import type { ServerOptions } from './server-option.ts';

/** What `--raw` does, for every command that has it. */
export const RAW_OPTION = 'print the text of models and commands unchanged, with its control characters';

/** Options of a command that works on a session and shows it. */
export interface ShowOptions {
  json?: true;
  plain?: true;
  raw?: true;
  /** Seconds. */
  timeout?: number;
}

/** Options that raise or lower the limits of a session. */
export interface LimitOptions {
  budgetUsd?: number;
  budgetTokens?: number;
  maxTurns?: number;
  maxToolCalls?: number;
}

/** Options that a run and the default settings of a server have in common. */
export interface DefaultOptions extends LimitOptions {
  cwd?: string;
  model?: string;
  approve?: Mode;
  onAsk?: OnAsk;
  sandbox?: SandboxName;
  isolate?: true;
  /** `key=value`. */
  set?: readonly string[];
}

export interface RunOptions extends DefaultOptions, ShowOptions, ServerOptions {
  prompt?: string;
  session?: string;
  continue?: true;
  allowAnyWorkspace?: true;
  root?: string;
  addDir?: readonly string[];
  pin?: true;
  /** Milliseconds. */
  waitForModel?: number;
  /** Texts of one grant. */
  grant?: readonly string[];
  /** Names of variables, or beginnings of names that end in `*`. */
  env?: readonly string[];
}

export function waitForModelOption(): Option {
  return new Option(
    '--wait-for-model <time>',
    'retry for this long while the model is unreachable or overloaded: 30m, 2h, 1d',
  ).argParser(toDuration);
}

export function onAskOption(): Option {
  return new Option('--on-ask <choice>', 'what to do with a question when no user can answer it').choices([
    'deny',
    'wait',
  ]);
}

export function approveOption(description = 'what is allowed without an approval'): Option {
  return new Option('--approve <mode>', description).choices(['plan', 'ask', 'edits', 'auto']);
}

export function sandboxOption(): Option {
  return new Option('--sandbox <driver>', 'where commands run; host means without a sandbox').choices([
    'bubblewrap',
    'docker',
    'host',
  ]);
}

export function settingOption(): Option {
  return new Option(
    '--set <key=value>',
    'any setting, such as sandbox.timeoutMs=300000 (klaus config lists them)',
  ).argParser(repeatable(toSetting));
}

export function grantOption(): Option {
  return new Option(
    '--grant <text>',
    'what the session may do, such as "file-operations · exec(npm test)"; repeatable (klaus help grants)',
  ).argParser(repeatable());
}

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
    .option('--max-tool-calls <count>', 'tool calls of the session; 0 means unlimited', integer(0));
}

/** The options of `klaus run`. */
export function addRunOptions(command: Command): Command {
  command
    .option('-p, --prompt <text>', 'the prompt')
    .option('-C, --cwd <folder>', 'the folder to work in (default: the current folder)')
    .option('-m, --model <name>', 'provider/id, a tier (opus, sonnet, haiku) or a known id')
    .addOption(approveOption())
    .addOption(onAskOption())
    .addOption(grantOption())
    .addOption(sandboxOption())
    .addOption(waitForModelOption())
    .option('--session <id>', 'continue this session; the beginning of its id is enough')
    .option('-c, --continue', 'continue the latest session of this folder that takes a prompt')
    .option('--pin', 'keep this prompt in the context unchanged, however long the session becomes')
    .option('--isolate', 'commands work on a layer, and their changes are reviewed before they are applied')
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
    .addOption(settingOption());
  return addShowOptions(addLimitOptions(command));
}

/** The limits that the options set; undefined if they set none. */
export function toLimits(options: LimitOptions): Partial<Limits> | undefined {
  const limits = optional({
    usd: options.budgetUsd,
    tokens: options.budgetTokens,
    turns: options.maxTurns,
    toolCalls: options.maxToolCalls,
  });
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** The values of `--set` by key; the last value of a key wins. */
function toGivenSettings({ set = [] }: RunOptions): Record<string, string> {
  return Object.fromEntries(set.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
}

/** The options as settings, by key. */
export function toSettings(options: RunOptions): Record<string, unknown> {
  const limits = Object.entries(toLimits(options) ?? {}).map(([name, value]) => [`limits.${name}`, value]);
  return {
    ...toGivenSettings(options),
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
export function checkCombination(options: RunOptions): void {
  const { session, continue: isContinued } = options;
  if (session !== undefined && isContinued) {
    throw new UsageError('--session and --continue exclude each other.', 'Give only one of them.');
  }
  if (session === undefined && !isContinued) return;
  const fixed = [
    ...(options.sandbox ? ['--sandbox'] : []),
    ...(options.grant ? ['--grant'] : []),
    ...(session !== undefined && options.root !== undefined ? ['--root'] : []),
    ...(options.addDir ? ['--add-dir'] : []),
    ...(session !== undefined && options.cwd !== undefined ? ['--cwd'] : []),
  ];
  if (fixed.length === 0) return;
  throw new UsageError(
    `${fixed.join(' and ')} cannot change in an existing session.`,
    'Leave it out, or start a new session.',
  );
}
