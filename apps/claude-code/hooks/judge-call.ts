import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Klaus, WrittenFiles } from '@klaus/sdk';
import {
  describePlace,
  findStateLinks,
  findWrittenPaths,
  isBelow,
  isSecretFile,
  isSecretPlace,
  namesMetadata,
  placeOf,
  singleQuote,
} from '@klaus/sdk/guard';
import { CANARY_RULE, isCanary, isCanaryFile } from './install/canary.ts';
import type { ClaudeCall } from './claude-tool.ts';
import { allow, type GuardFinding, type JudgeContext } from './judge-context.ts';
import { judgeMcp } from './judge-mcp.ts';
import { judgeAgent, judgeExpansion, judgeMentions, worst } from './expansion/judge-expansion.ts';
import { toProjectRoot } from './project/agent-worktree.ts';
import { describeUnseenUse } from './project/unseen-files.ts';
import { canRunInSandbox, toSandboxed } from './sandbox-call.ts';

/** Plans of Claude Code, below the folder of its configuration. They are text that only the agent reads. */
const PLANS = /\/\.claude\/plans\/[^/]+\.md$/;

/** Rules whose finding is about the request itself, not about its effect: Claude Code reports the same to its model. */
const UNPREPARED = 'prepare';

/** Asks the one gate about a call of Claude Code. Runs nothing. */
export async function judgeCall(call: ClaudeCall, context: JudgeContext): Promise<GuardFinding> {
  if (isTooWide(context.root) && (call.kind === 'command' || call.kind === 'write')) {
    const isTest = call.kind === 'command' && isCanary(call.command);
    if (!isTest)
      return {
        verdict: 'ask',
        rule: 'root',
        reason: `${context.root} is no project: start Claude Code in a folder of one`,
      };
  }
  switch (call.kind) {
    case 'harmless':
      return allow('tool', 'the tool changes nothing');
    case 'unknown':
      return { verdict: 'ask', rule: 'tool', reason: call.reason };
    case 'mcp':
      return judgeMcp(call, context, judgeCall);
    case 'agent':
      if (call.isElsewhere)
        return { verdict: 'ask', rule: 'agent', reason: 'the agent works where the guard does not ask' };
      return worst([
        await judgeMentions(call.prompt, context, judgeCall),
        await judgeAgent(call.type, context, judgeCall),
      ]);
    case 'expansion':
      return judgeExpansion(call.name, context, judgeCall);
    case 'fetch':
      return judgeFetch(call.url, context);
    case 'command':
      if (isCanary(call.command))
        return { verdict: 'deny', rule: CANARY_RULE, reason: 'this is the canary of the guard' };
      return judgeUse(await judgeCommand(call.command, context), findWrittenPaths(call.command, context.root), context);
    case 'read':
      return judgeRead(call, context);
    case 'write':
      if (isCanaryFile(call.path))
        return { verdict: 'ask', rule: CANARY_RULE, reason: 'this is the canary of the guard' };
      return judgeFile(call, { ...context, root: toProjectRoot(toRealPath(call.path), context.root) });
  }
}

async function judgeFile(call: Write, context: JudgeContext): Promise<GuardFinding> {
  return judgeUse(await judgeWrite(call, context), [call.path], context);
}

/** Asks about a change of a file that Claude Code runs or loads without a call. */
function judgeUse(found: GuardFinding, paths: readonly string[], { klaus, root }: JudgeContext): GuardFinding {
  if (found.verdict !== 'allow') return found;
  const real = [...new Set(paths.flatMap((path) => [path, toRealPath(path)]))];
  const reason = describeUnseenUse(real, { root, home: klaus.home });
  return reason === undefined ? found : { verdict: 'ask', rule: 'unseen', reason };
}

/** The root, and folders that contain the home folder: everything would be in the project. */
function isTooWide(root: string): boolean {
  const home = toRealPath(homedir());
  return root === '/' || (root !== home && isBelow(home, root));
}

async function judgeFetch(url: string, { klaus, root }: JudgeContext): Promise<GuardFinding> {
  if (/^file:|^\/\//i.test(url.trim()) || namesMetadata(url))
    return {
      verdict: 'ask',
      rule: 'fetch',
      reason: 'the address is of this machine, or of a service that gives credentials',
    };
  const files = await klaus.files(root);
  // A value can be written in the ways in which an address writes it.
  for (const text of new Set([url, decode(url), decode(url.replaceAll('+', ' '))]))
    if ((await files.redact(text)) !== text)
      return { verdict: 'deny', rule: 'secret', reason: 'the request contains a secret' };
  return allow('fetch', 'the request contains no known secret');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The project is the workspace, regardless of the folder in which the shell of Claude Code is. */
async function judgeCommand(command: string, context: JudgeContext): Promise<GuardFinding> {
  const { klaus, root, sandbox } = context;
  const cwd = toRealPath(context.cwd);
  const isInside = isBelow(cwd, root);
  const input = isInside
    ? { command, ...(cwd !== root ? { cwd } : {}) }
    : { command: `cd ${singleQuote(cwd)} || exit\n${command}` };
  const place = { workspace: root, wrote: context.wrote };
  if (sandbox !== undefined && canRunInSandbox({ command, root, cwd })) {
    const found = await explain(klaus, { name: 'run_command', input }, { ...place, sandbox: 'bubblewrap' });
    if (found.verdict === 'allow') return { ...found, instead: toSandboxed(sandbox, { command, root, cwd }) };
  }
  return explain(klaus, { name: 'run_command', input }, place);
}

/** The state of this Klaus, and the usual place, where another one of the user has it. */
function toStateFolders({ home }: Pick<Klaus, 'home'>): string[] {
  return [...new Set([home, join(homedir(), '.klaus')].flatMap((path) => [toRealPath(path), ...findStateLinks(path)]))];
}

/** The fields of a call that name what it reads. */
type Read = Extract<ClaudeCall, { kind: 'read' }>;

/** Judges what a call itself reads. */
export async function judgeRead(
  { path, reads, glob }: Read,
  { klaus, root, wrote }: JudgeContext,
): Promise<GuardFinding> {
  const real = toRealPath(path);
  const own = { userHome: toRealPath(homedir()), state: toStateFolders(klaus) };
  for (const name of new Set([path, real])) {
    if (reads === 'names') continue;
    const isState = (folder: string): boolean =>
      isBelow(name, folder) && !(isBelow(root, folder) && isBelow(name, root));
    if (own.state.some(isState))
      return { verdict: 'deny', rule: 'path', reason: `${name} is in the state folder of Klaus` };
    if (isBelow(name, root)) continue;
    if (isSecretPlace(name, own)) return { verdict: 'ask', rule: 'path', reason: `${name} is a place with secrets` };
    // A search in a folder above them finds them too.
    if (
      reads === 'content' &&
      [`${own.userHome}/.ssh`, ...own.state, '/etc/shadow'].some((each) => isBelow(each, name))
    )
      return { verdict: 'ask', rule: 'path', reason: `${name} contains places with secrets` };
  }
  if (reads === 'content' && glob !== undefined && isSecretGlob(glob, own))
    return { verdict: 'ask', rule: 'path', reason: `${glob} matches secret files` };
  for (const name of new Set([path, real])) {
    if (isSecretFile(name.slice(1))) return { verdict: 'ask', rule: 'path', reason: `${name} is a secret file` };
  }
  if (!isBelow(real, root) || reads !== 'file') return allow('path', 'it only reads, and no secret file');
  const found = await explain(klaus, { name: 'read_file', input: { path: real } }, { workspace: root, wrote });
  return found.rule === UNPREPARED ? allow('path', 'it only reads, and no secret file') : found;
}

/** True for a pattern that names a secret file, or a folder of them: `**\/.ssh/*`, `.env*`. */
function isSecretGlob(glob: string, own: Parameters<typeof isSecretPlace>[1]): boolean {
  const plain = glob
    .replaceAll(/\{([^{},]*)[^{}]*\}/g, '$1')
    .replaceAll(/\*\*\/|[*?]/g, '')
    .replace(/^\/+/, '');
  return plain !== '' && (isSecretFile(plain) || isSecretPlace(`${own.userHome}/${plain}`, own));
}

/** The fields of a call that name what it writes. */
type Write = Extract<ClaudeCall, { kind: 'write' }>;

async function judgeWrite({ path, edit }: Write, { klaus, root, wrote }: JudgeContext): Promise<GuardFinding> {
  const real = toRealPath(path);
  if (isPlan(path) && isPlan(real)) return allow('plan', 'it is a plan of Claude Code');
  if (!isBelow(real, root)) return judgeOutside(path, real, toStateFolders(klaus));
  const found =
    edit && (await explain(klaus, { ...edit, input: { ...edit.input, path: real } }, { workspace: root, wrote }));
  if (found && found.rule !== UNPREPARED) return found;
  // The content of the change is not known, or the change cannot be made: the place decides.
  const place = await explain(
    klaus,
    { name: 'write_file', input: { path: real, content: '' } },
    { workspace: root, wrote },
  );
  return place.rule === UNPREPARED ? { ...place, verdict: 'ask' } : place;
}

/** A write outside the project is nothing that the user sees in its diff. */
function judgeOutside(path: string, real: string, state: readonly string[]): GuardFinding {
  if ([path, real].some((name) => state.some((folder) => isBelow(name, folder))))
    return { verdict: 'deny', rule: 'path', reason: `${path} is in the state folder of Klaus` };
  for (const name of new Set([path, real])) {
    if (isSecretFile(name.slice(1))) return { verdict: 'ask', rule: 'path', reason: `${name} is a secret file` };
    const place = placeOf(name.slice(1));
    if (place !== undefined) return { verdict: 'ask', rule: 'path', reason: `${name} is ${describePlace(place)}` };
  }
  return { verdict: 'ask', rule: 'path', reason: `${path} is outside the project` };
}

async function explain(
  klaus: Pick<Klaus, 'explain'>,
  call: { name: string; input: Record<string, unknown> },
  place: { workspace: string; wrote: WrittenFiles; sandbox?: 'bubblewrap' },
): Promise<GuardFinding> {
  const { decision } = await klaus.explain(call, { sandbox: 'host', ...place, mode: 'auto' });
  return { verdict: decision.verdict, rule: decision.rule, reason: decision.reason };
}

/** The real path of the nearest part that exists, with the rest. */
export function toRealPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(toRealPath(parent), basename(path));
  }
}

export function isPlan(path: string): boolean {
  return PLANS.test(path);
}
