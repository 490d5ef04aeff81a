import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createRoof, type Roof } from '../roof/roof.ts';

/** A project with the guard in the settings of the user, without Claude Code. */
export interface HookPlace extends Roof {
  /** The installed program. */
  readonly program: string;
  readonly socket: string;
  readonly settings: string;
  /** Calls the hook of the settings as Claude Code does, and reads its answer as Claude Code does. */
  call(event?: string | Uint8Array, env?: Record<string, string>): Promise<HookEnd>;
  readonly toEvent: (command: string, fields?: Record<string, unknown>) => string;
}

export interface HookEnd {
  /** `pass`: the call would run. */
  outcome: 'pass' | 'ask' | 'deny';
  stdout: string;
  stderr: string;
}

export async function openHooks(): Promise<HookPlace> {
  const roof = await createRoof({ env: { KLAUS_GUARD_DEADLINE_MS: '2000' } });
  const { code, stdout, stderr } = await roof.klaus('guard', 'install');
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  const { place } = roof;
  const settings = join(place.env['HOME']!, '.claude/settings.json');
  const toEvent = (command: string, fields: Record<string, unknown> = {}): string =>
    JSON.stringify({
      session_id: '22222222-2222-4333-8444-555555555555',
      transcript_path: '/nowhere/at/all.jsonl',
      cwd: place.workspace,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: 'toolu_1',
      ...fields,
    });
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as {
    hooks: { PreToolUse: { hooks: { command: string }[] }[] };
  };
  const { command } = hooks.PreToolUse[0]!.hooks[0]!;
  return {
    ...roof,
    program: join(place.home, 'guard/hook'),
    socket: join(place.home, 'server/klaus.sock'),
    settings,
    toEvent,
    async call(event = toEvent('echo ok'), env = {}) {
      const child = spawn('/bin/sh', ['-c', command], {
        cwd: place.workspace,
        env: { ...place.env, CLAUDE_PROJECT_DIR: place.workspace, KLAUS_GUARD_DEADLINE_MS: '2000', ...env },
        stdio: 'pipe',
      });
      child.stdin.on('error', () => {});
      child.stdin.end(event);
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      return { outcome: toOutcome(code, stdout), stdout, stderr };
    },
  };
}

/** Exit code 2 denies; another one than 0, and output that is no JSON, let the call run. */
function toOutcome(code: number | null, stdout: string): HookEnd['outcome'] {
  if (code === 2) return 'deny';
  if (code !== 0) return 'pass';
  try {
    const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput?: { permissionDecision?: string } };
    const decision = hookSpecificOutput?.permissionDecision;
    return decision === 'deny' || decision === 'ask' ? decision : 'pass';
  } catch {
    return 'pass';
  }
}
