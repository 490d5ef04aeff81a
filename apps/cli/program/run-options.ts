import { resolve } from 'node:path';
import type { Limits, Mode, OnAsk, SandboxName } from '@klaus/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { grantOption } from './program-grants.ts';
import { UsageError } from './report-error.ts';
import { addServerOptions, type ServerOptions } from './server-option.ts';

/** What `--raw` does, for every command that has it. */
export const RAW_OPTION = 'print what models and commands wrote as it is, with its control characters';

/** Options of a command that works on a session and shows it. */
export interface ShowOptions {
  json?: true;
  plain?: true;
  raw?: true;
  /** Seconds. */
  timeout?: number;
}

/** Options that raise or lower what a session may spend. */
export interface LimitOptions {
  budgetUsd?: number;
  budgetTokens?: number;
  maxTurns?: number;
  maxToolCalls?: number;
}

export interface RunOptions extends ShowOptions, LimitOptions, ServerOptions {
  prompt?: string;
  cwd?: string;
  model?: string;
  approve?: Mode;
  onAsk?: OnAsk;
  sandbox?: SandboxName;
  session?: string;
  continue?: true;
  allowAnyWorkspace?: true;
  root?: string;
  addDir?: readonly string[];
  isolate?: true;
  pin?: true;
  /** Milliseconds. */
  waitForModel?: number;
  /** Texts of one grant. */
  grant?: readonly string[];
  /** Names of variables, or beginnings that end in `*`. */
  env?: readonly string[];
  /** `key=value`, as often as wanted. */
  set?: readonly string[];
}

/** A number of at least 0; 0 means unlimited where a limit is meant. */
function toAmount(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('It must be a number from 0.');
  return value;
}

function toCount(text: string): number {
  const value = toAmount(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return value;
}

/** Seconds of at least a thousandth, at most a day. */
function toSeconds(text: string): number {
  const value = toAmount(text);
  if (value < 0.001 || value > 86_400) throw new InvalidArgumentError('It must be a number of seconds, at most 86400.');
  return value;
}

const SPAN_UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `30m`, `2h`, `1d`, at most a week, in milliseconds. */
function toSpan(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const value = Number(count) * SPAN_UNITS[(unit ?? 's') as keyof typeof SPAN_UNITS];
  if (count === undefined || value > 7 * SPAN_UNITS.d)
    throw new InvalidArgumentError('It must be a time such as 90s, 30m, 2h or 1d, at most a week.');
  return value;
}

export function waitForModelOption(): Option {
  return new Option(
    '--wait-for-model <time>',
    'while the model cannot be reached or is overloaded, keep trying for this long: 30m, 2h, 1d',
  ).argParser(toSpan);
}

export function onAskOption(): Option {
  return new Option('--on-ask <choice>', 'what to do with a question when nobody is there to answer').choices([
    'deny',
    'wait',
  ]);
}

export function sandboxOption(): Option {
  return new Option('--sandbox <driver>', 'where commands run; host is no sandbox at all').choices([
    'bubblewrap',
    'docker',
    'host',
  ]);
}

export function settingOption(): Option {
  return new Option(
    '--set <key=value>',
    'any setting, such as sandbox.timeoutMs=300000 (klaus config lists them)',
  ).argParser(toSetting);
}

export function addShowOptions(command: Command): Command {
  return command
    .option('--json', 'print the events as NDJSON on standard output, and nothing else')
    .option('--plain', 'words instead of symbols, no colours, nothing that moves: for screen readers')
    .option('--raw', RAW_OPTION)
    .option('--timeout <seconds>', 'cancel the run after this time (exit code 9)', toSeconds);
}

export function addLimitOptions(command: Command): Command {
  return command
    .option('--budget-usd <amount>', 'US dollars that the session may cost; 0 means unlimited', toAmount)
    .option('--budget-tokens <count>', 'tokens that the session may use; 0 means unlimited', toCount)
    .option('--max-turns <count>', 'model turns of the session; 0 means unlimited', toCount)
    .option('--max-tool-calls <count>', 'tool calls of the session; 0 means unlimited', toCount);
}

export function addRunOptions(command: Command): Command {
  command
    .option('-p, --prompt <text>', 'the prompt, for those who are used to -p')
    .option('-C, --cwd <folder>', 'the folder to work in (default: the current one)')
    .option('-m, --model <name>', 'provider/id, a tier (opus, sonnet, haiku) or a known id')
    .addOption(
      new Option('--approve <mode>', 'what passes without a question').choices(['plan', 'ask', 'edits', 'auto']),
    )
    .addOption(onAskOption())
    .addOption(grantOption())
    .addOption(sandboxOption())
    .addOption(waitForModelOption())
    .option('--session <id>', 'go on with this session; the beginning of its id is enough')
    .option('-c, --continue', 'go on with the latest session of this folder that takes a prompt')
    .option('--pin', 'keep this prompt in the context word for word, however long the session becomes')
    .option('--isolate', 'commands work on a layer, and what they changed is reviewed before it is kept')
    .option('--env <name>', 'a variable of yours that commands get, in place of sandbox.env; repeatable', toNames)
    .option('--root <folder>', 'the folder around the workspace that commands may read (default: its repository)')
    .option(
      '--add-dir <folder>',
      'a further folder to read (:ro, the default) or to change too (:rw); repeatable',
      toFolders,
    )
    .option('--allow-any-workspace', 'accept /, the home folder and other unusual places as a workspace')
    .addOption(settingOption());
  return addServerOptions(addShowOptions(addLimitOptions(command)));
}

/** The limits that were given, and only those. */
export function toLimits(options: LimitOptions): Partial<Limits> {
  const given = {
    usd: options.budgetUsd,
    tokens: options.budgetTokens,
    turns: options.maxTurns,
    toolCalls: options.maxToolCalls,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The outage that a run waits out, where one was given. */
export function toWait({ waitForModel }: Pick<RunOptions, 'waitForModel'>): { waitForModelMs?: number } {
  return waitForModel === undefined ? {} : { waitForModelMs: waitForModel };
}

/** Adds one `key=value` to those before it. */
function toSetting(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^[^=\s]+=/.test(text)) throw new InvalidArgumentError('It must be key=value.');
  return [...before, text];
}

/** Adds one folder to those before it. */
function toFolders(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '') throw new InvalidArgumentError('It must be a folder.');
  return [...before, resolve(text)];
}

function toNames(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^[A-Za-z_]\w*\*?$/.test(text))
    throw new InvalidArgumentError('It must be the name of a variable, or a beginning and *.');
  return [...before, text];
}

/** What `--set` gave, by key; the last of a key counts. */
export function toGivenSettings({ set = [] }: RunOptions): Record<string, string> {
  return Object.fromEntries(set.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
}

/** The options as settings, by key; undefined where not given. */
export function toSettings(options: RunOptions): Record<string, unknown> {
  return {
    ...toGivenSettings(options),
    ...Object.fromEntries(Object.entries(toNamedSettings(options)).filter(([, value]) => value !== undefined)),
  };
}

function toNamedSettings(options: RunOptions): Record<string, unknown> {
  return {
    model: options.model,
    approve: options.approve,
    onAsk: options.onAsk,
    'sandbox.driver': options.sandbox,
    'sandbox.env': options.env,
    'sandbox.folders': options.addDir,
    isolate: options.isolate,
    'retry.waitMs': options.waitForModel,
    ...Object.fromEntries(Object.entries(toLimits(options)).map(([name, value]) => [`limits.${name}`, value])),
  };
}

/** @throws UsageError for options that contradict each other, or that cannot change in an existing session. */
export function checkCombination(options: RunOptions): void {
  if (options.session !== undefined && options.continue) {
    throw new UsageError('--session and --continue exclude each other.', 'Give the one that you mean.');
  }
  if (options.session === undefined && !options.continue) return;
  const fixed = [
    ...(options.sandbox ? ['--sandbox'] : []),
    ...(options.grant ? ['--grant'] : []),
    ...(options.session !== undefined && options.root !== undefined ? ['--root'] : []),
    ...(options.addDir ? ['--add-dir'] : []),
    ...(options.session !== undefined && options.cwd !== undefined ? ['--cwd'] : []),
  ];
  if (fixed.length > 0) {
    throw new UsageError(
      `${fixed.join(' and ')} cannot change in an existing session.`,
      'Leave it out, or begin a new session.',
    );
  }
}
