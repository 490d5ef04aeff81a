import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { toHostEnvironment } from '@klaus/sdk';
import type { ListedSession } from '@klaus/sdk/client';
import { messageOf } from '@klaus/sdk/message-of';
import { UsageError } from '../program/cli-error.ts';

/** Milliseconds that the program has to answer. */
const TIMEOUT_MS = 30_000;

/** What `claude agents --json` prints of a session; further fields are ignored. */
interface ClaudeSession {
  sessionId?: string;
  name?: string;
  cwd?: string;
  kind?: string;
  status?: string;
  /** Unix milliseconds. */
  startedAt?: number;
}

/**
 * The active sessions that Claude Code itself keeps.
 *
 * @param program Of Claude Code: a name in PATH or an absolute path.
 * @throws UsageError without the program, or a usable answer.
 */
export async function listClaudeSessions(program: string): Promise<ListedSession[]> {
  let sessions: ClaudeSession[];
  try {
    const options = { env: toHostEnvironment(), timeout: TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)(program, ['agents', '--json'], options);
    sessions = JSON.parse(stdout) as ClaudeSession[];
  } catch (error) {
    const [reason] = messageOf(error).split('\n');
    throw new UsageError(
      `The sessions of Claude Code cannot be listed: ${reason}`,
      'Check that `claude agents --json` works, or leave out --claude-code.',
    );
  }
  return sessions.flatMap(({ sessionId: id, name, cwd, kind, status, startedAt }) =>
    id === undefined
      ? []
      : [
          {
            ...{ id, agentType: 'claude', costUsd: null, parent: null, forkedFrom: null, firstPrompt: null },
            ...{ title: name ?? null, workspace: cwd ?? '' },
            updatedAt: new Date(startedAt ?? 0).toISOString(),
            status: [kind, status].filter((word) => word !== undefined).join(' '),
          },
        ],
  );
}
