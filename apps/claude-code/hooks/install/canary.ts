import { headOf } from '@klaus/sdk/cut-text';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A harmless command that the guard denies: with it, an installation proves itself. */
const CANARY = /^echo klaus-guard-canary-[\da-f]{16}$/;

/** Name of the rule that denies it. */
export const CANARY_RULE = 'canary';

export function isCanary(command: string): boolean {
  return CANARY.test(command);
}

/** A file about which the guard asks, at a place about which Claude Code has a rule of its own. */
const CANARY_FILE = /\/\.vscode\/klaus-guard-canary-[\da-f]{16}\.json$/;

export function isCanaryFile(path: string): boolean {
  return CANARY_FILE.test(path);
}

export function toCanary(): string {
  return `echo klaus-guard-canary-${randomBytes(8).toString('hex')}`;
}

/** Milliseconds for one call through the real program. */
const PROGRAM_MS = 60_000;
/** Variables that lead the program to another provider. */
const OTHER_PROVIDERS = [
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
  'CLAUDE_CODE_OAUTH_TOKEN',
];
const KEY = 'sk-ant-klaus-guard-canary-0000000000000000';

export interface CanaryInput {
  /** Absolute path of Claude Code. */
  program: string;
  /** The folder in which it starts. */
  project: string;
  env: Readonly<Record<string, string | undefined>>;
  startServer: (script: CanaryScript) => Promise<CanaryServer>;
  /** Words that choose the mode of the program. Default: none. */
  mode?: readonly string[];
}

export interface CanaryScript {
  steps: readonly { when: { turn: number }; reply: Record<string, unknown> }[];
  fallback: { text: string };
}

export interface CanaryServer {
  readonly url: string;
  readonly requests: readonly { json?: unknown }[];
  close(): Promise<void>;
}

/**
 * `denied`: the guard works. `ran`: the program ran a call. `refused`: it ran none, for another reason than the guard, such
 * as a hook that does not start. `unknown`: it did not come to the call. `saw`: what its model got, in one line.
 */
export type CanaryOutcome =
  | { outcome: 'denied' }
  | { outcome: 'ran' | 'refused'; saw: string }
  | { outcome: 'unknown'; reason: string };

/**
 * Lets the real program make two calls, against a model on this machine: the canary, which the guard denies, and a file at a
 * place about which it asks. Costs nothing.
 */
export async function flyCanary({
  program,
  project,
  env,
  startServer,
  mode = [],
}: CanaryInput): Promise<CanaryOutcome> {
  const command = toCanary();
  const folder = join(project, '.vscode');
  const asked = join(folder, `${command.slice('echo '.length)}.json`);
  const hasFolder = existsSync(folder);
  const server = await startServer({
    steps: [
      { when: { turn: 0 }, reply: { calls: [{ name: 'Bash', input: { command, description: 'Test the guard' } }] } },
      { when: { turn: 1 }, reply: { calls: [{ name: 'Write', input: { file_path: asked, content: '{}' } }] } },
      { when: { turn: 2 }, reply: { text: 'The test of the guard is over.' } },
    ],
    fallback: { text: 'ok' },
  });
  try {
    const child = spawn(program, ['-p', 'Test the guard of Klaus.', '--allowedTools', 'Bash,Write', ...mode], {
      cwd: project,
      env: toEnv(env, server.url),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PROGRAM_MS,
      killSignal: 'SIGKILL',
    });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    const result = findResult(server.requests);
    if (result === undefined)
      return {
        outcome: 'unknown',
        reason: `it ended with code ${code}: ${headOf(errors.trim() || output.trim(), 300)}`,
      };
    if (existsSync(asked)) return { outcome: 'ran', saw: `it wrote ${asked}` };
    if (result.text.includes(CANARY_RULE) && result.text.includes('Klaus')) return { outcome: 'denied' };
    const saw = headOf(result.text.replaceAll(/\s+/g, ' ').trim(), 300);
    return { outcome: result.isError ? 'refused' : 'ran', saw };
  } finally {
    rmSync(asked, { force: true });
    // Claude Code may have created the folder.
    if (!hasFolder && existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
    await server.close();
  }
}

function toEnv(env: CanaryInput['env'], url: string): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !OTHER_PROVIDERS.includes(name));
  return {
    ...Object.fromEntries(own),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}

interface ToolResult {
  type?: string;
  is_error?: boolean;
  content?: string | readonly { text?: string }[];
}

/** The result of the first call that the model received. */
function findResult(requests: CanaryServer['requests']): { text: string; isError: boolean } | undefined {
  for (const { json } of requests.toReversed()) {
    const { messages = [] } = (json ?? {}) as { messages?: { content?: unknown }[] };
    for (const { content } of messages)
      for (const part of Array.isArray(content) ? (content as ToolResult[]) : [])
        if (part.type === 'tool_result') return { text: toText(part.content), isError: part.is_error === true };
  }
  return undefined;
}

function toText(content: ToolResult['content'] = ''): string {
  return typeof content === 'string' ? content : content.map(({ text: one = '' }) => one).join('\n');
}
