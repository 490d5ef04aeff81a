import { headOf } from '@klaus/sdk/cut-text';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';
import { listTranscripts } from '../heartbeat/claude-sessions.ts';
import { findOverride, findSwitch, listProjectSettings } from '../heartbeat/find-problems.ts';
import { toRealPath } from '../judge-call.ts';
import { readObject } from '../project/command-lines.ts';
import { readProjectPrograms } from '../project/project-programs.ts';
import { type CanaryInput, CANARY_RULE, flyCanary, toCanary } from './canary.ts';
import { type HookProgramOptions, toHookPath, toHookProgram } from './hook-program.ts';
import {
  hasGuard,
  isGuard,
  readSettings,
  type SettingsPlace,
  toClaudeFolder,
  toSettingsFile,
} from './settings-file.ts';

/** One thing that was checked. */
export interface GuardFact {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  text: string;
  /** What to do about it. */
  fix?: string;
}

export interface DiagnoseInput extends HookProgramOptions {
  env: Readonly<Record<string, string | undefined>>;
  project: string;
  /** Program of Claude Code: a name in PATH, or an absolute path. */
  claude: string;
  startServer: CanaryInput['startServer'];
  /** Ids of the sessions that the guard has seen in the last day. */
  known: () => Promise<ReadonlySet<string>>;
  /** False: the real program is not started. Default true. */
  canary?: boolean;
}

const INSTALL = 'klaus guard install';
/** Modes of Claude Code in which the guard is proved. */
const MODES = ['default', 'acceptEdits', 'bypassPermissions'] as const;
type Mode = (typeof MODES)[number];
const DAY_MS = 86_400_000;

/** Checks whether the guard judges every call of Claude Code. Changes nothing. */
export async function diagnoseGuard(input: DiagnoseInput): Promise<GuardFact[]> {
  const facts = [...checkSettings(input), ...checkProject(input), checkProgram(input), await checkHook(input)];
  const program = findProgram(input);
  if (program === undefined) {
    const text = `${input.claude} is not in PATH, so that no call was made through it`;
    facts.push({ name: 'Claude Code', status: 'warn', text, fix: 'Set `claudeBinary` to its path' });
  } else if (input.canary !== false)
    for (const mode of MODES) if (canBypass(input, mode)) facts.push(await checkCanary(input, program, mode));
  return [...facts, checkSessions(input, await input.known())];
}

function checkSettings(input: DiagnoseInput): GuardFact[] {
  const places: SettingsPlace[] = ['managed', 'user', 'project'];
  const facts: GuardFact[] = [];
  const found: string[] = [];
  const off: string[] = [];
  let isManaged = false;
  const managed = toSettingsFile({ ...input, place: 'managed' });
  for (const file of [...places.map((place) => toSettingsFile({ ...input, place })), toLocalFile(input.project)]) {
    try {
      const read = readSettings(file);
      const name = findSwitch(read.settings, file === managed);
      if (name !== undefined) off.push(`\`${name}\` in ${file}`);
      if (!(read.hooks['PreToolUse'] ?? []).some((entry) => entry.hooks.some(isGuard))) continue;
      found.push(file);
      if (!hasGuard(read, toHookPath(input.home))) {
        const text = `the hooks in ${file} are not those that this Klaus installs`;
        facts.push({ name: 'settings', status: 'fail', text, fix: INSTALL });
      }
      isManaged ||= file === managed;
    } catch (error) {
      facts.push({ name: 'settings', status: 'fail', text: (error as Error).message, fix: `Correct ${file}` });
    }
  }
  if (found.length > 0) facts.push({ name: 'settings', status: 'ok', text: `the hooks are in ${found.join(', ')}` });
  else
    facts.push({ name: 'settings', status: 'fail', text: 'the hooks are in no settings of Claude Code', fix: INSTALL });
  if (off.length > 0 && !isManaged)
    facts.push({
      name: 'switched off',
      status: 'fail',
      text: `no hook of the guard runs, because of ${off.join(', ')}`,
      fix: 'Remove it, or install with --managed',
    });
  return facts;
}

/** What the project starts that no hook sees. The user decides about it when a session starts. */
function checkProject({ project, home }: DiagnoseInput): GuardFact[] {
  const facts: GuardFact[] = [];
  for (const file of listProjectSettings(project)) {
    const name = findOverride(readObject(file));
    if (name === undefined) continue;
    const text = `no hook of the guard decides in this project, because of \`${name}\` in ${file}`;
    facts.push({ name: 'replaced', status: 'fail', text, fix: `Remove it from ${file}` });
  }
  const programs = readProjectPrograms({ root: toRealPath(project), home });
  if (programs !== undefined) {
    const text = `Claude Code starts or loads, before any call and without a question of the guard: ${programs.found.join('; ')}`;
    facts.push({ name: 'project', status: 'warn', text, fix: 'Look at them before you start Claude Code here' });
  }
  return facts;
}

function toLocalFile(project: string): string {
  return join(project, '.claude', 'settings.local.json');
}

function checkProgram(input: DiagnoseInput): GuardFact {
  const path = toHookPath(input.home);
  const name = 'hook';
  if (!existsSync(path)) return { name, status: 'fail', text: `${path} does not exist`, fix: INSTALL };
  if ((statSync(path).mode & 0o100) === 0)
    return { name, status: 'fail', text: `${path} is not executable`, fix: INSTALL };
  if (readForeignFileSync(path).text !== toHookProgram(input))
    return { name, status: 'fail', text: `${path} is that of another version or state folder`, fix: INSTALL };
  return { name, status: 'ok', text: path };
}

/** Calls the installed program as Claude Code does. */
async function checkHook(input: DiagnoseInput): Promise<GuardFact> {
  const name = 'daemon';
  const event = {
    hook_event_name: 'PreToolUse',
    session_id: 'klaus-guard-doctor',
    cwd: input.project,
    tool_name: 'Bash',
    tool_input: { command: toCanary() },
  };
  const path = toHookPath(input.home);
  if (!existsSync(path)) return { name, status: 'fail', text: 'there is no hook to call', fix: INSTALL };
  const child = spawn(path, ['PreToolUse'], {
    stdio: 'pipe',
    env: { ...input.env, CLAUDE_PROJECT_DIR: input.project },
  });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(event));
  const [answer, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close').catch(() => {}),
  ]);
  if (answer.includes(CANARY_RULE) && answer.includes('deny')) {
    const client = hasProgram('perl')
      ? 'Perl'
      : hasProgram('curl')
        ? 'curl'
        : 'Klaus itself, which is slow: install Perl or curl';
    return { name, status: 'ok', text: `it denies through ${client}` };
  }
  return {
    name,
    status: 'fail',
    text: `it did not deny the test: ${headOf((errors || answer).trim(), 300)}`,
    fix: 'See klaus doctor',
  };
}

function hasProgram(name: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', `PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin; command -v ${name}`]).status === 0
  );
}

function findProgram({ claude, env }: DiagnoseInput): string | undefined {
  const paths = isAbsolute(claude)
    ? [claude]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, claude));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  });
}

/** As root, Claude Code starts in this mode only where a variable says that it is in a sandbox. */
function canBypass({ env }: DiagnoseInput, mode: Mode): boolean {
  return mode !== 'bypassPermissions' || process.getuid?.() !== 0 || env['IS_SANDBOX'] === '1';
}

async function checkCanary(input: DiagnoseInput, program: string, mode: Mode): Promise<GuardFact> {
  const words = mode === 'bypassPermissions' ? ['--dangerously-skip-permissions'] : ['--permission-mode', mode];
  const found = await flyCanary({ ...input, program, mode: words });
  const name = mode === 'default' ? 'Claude Code' : `Claude Code, ${mode}`;
  switch (found.outcome) {
    case 'denied':
      return { name, status: 'ok', text: `${program}: test calls were denied` };
    case 'ran':
      return {
        name,
        status: 'fail',
        text: `${program}: a test call RAN although the guard denies it: ${found.saw}`,
        fix: INSTALL,
      };
    case 'refused':
      return {
        name,
        status: 'fail',
        text: `${program}: the test call did not run, but it was not the guard that denied it: ${found.saw}`,
        fix: INSTALL,
      };
    case 'unknown':
      return { name, status: 'warn', text: `${program}: no test call came about: ${found.reason}` };
  }
}

/** Conversations that the guard has not seen: hooks were switched off, or another configuration was used. */
function checkSessions({ env, home }: DiagnoseInput, known: ReadonlySet<string>): GuardFact {
  const name = 'sessions';
  const installedAt = statSync(toHookPath(home), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  const unseen = listTranscripts(toClaudeFolder({ env }))
    .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .filter(({ at }) => at > installedAt && at > Date.now() - DAY_MS)
    .filter(({ path }) => !known.has(basename(path, '.jsonl')));
  if (unseen.length === 0) return { name, status: 'ok', text: 'the guard has seen all sessions of the last day' };
  const paths = unseen.slice(0, 3).map(({ path }) => path);
  return {
    name,
    status: 'fail',
    text: `the guard has not seen ${unseen.length} of the sessions of the last day: ${paths.join(', ')}`,
    fix: 'Find out which settings they used: `disableAllHooks`, CLAUDE_CONFIG_DIR, --settings',
  };
}
