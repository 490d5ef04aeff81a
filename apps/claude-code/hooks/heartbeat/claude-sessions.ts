import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listNames } from '@klaus/sdk/guard';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';

/** A session of Claude Code that runs now. */
export interface ClaudeSession {
  id: string;
  /** Absolute path of the folder in which it started. */
  cwd: string;
  /** Unix milliseconds. */
  startedAt: number;
  /** The folder of its configuration. */
  folder: string;
}

/** Bytes of the file of a session, and from the beginning of a transcript in which its folder is searched. */
const HEAD = 65_536;
/** Klaus itself drives these: its gate judges their calls. Ids of Claude Code have another version. */
const DRIVEN = /^.{14}8/;

/** The sessions that Claude Code lists in its configuration, one file for each process. Source: 2.1.197 and 2.1.332. */
export function listClaudeSessions(folder: string): ClaudeSession[] {
  return listNames(join(folder, 'sessions'))
    .filter((name) => /^\d+\.json$/.test(name))
    .flatMap((name) => {
      try {
        const { text } = readForeignFileSync(join(folder, 'sessions', name), { max: HEAD });
        const { sessionId, cwd, startedAt } = JSON.parse(text) as Record<string, unknown>;
        if (typeof sessionId !== 'string' || typeof cwd !== 'string' || typeof startedAt !== 'number') return [];
        return DRIVEN.test(sessionId) ? [] : [{ id: sessionId, cwd, startedAt, folder }];
      } catch {
        // It ended, or it is being written.
        return [];
      }
    });
}

/** Milliseconds by which the clock of files is behind at most. */
const CLOCK_STEP_MS = 20;

/** The sessions whose transcripts were created at that time or later. */
export function listRecordedSessions(folder: string, since: number): ClaudeSession[] {
  return listTranscripts(folder).flatMap((path) => {
    try {
      const { birthtimeMs: startedAt } = statSync(path);
      const id = basename(path, '.jsonl');
      if (startedAt < since - CLOCK_STEP_MS || DRIVEN.test(id)) return [];
      const [, cwd] =
        /"cwd":("(?:[^"\\]|\\.)*")/.exec(readForeignFileSync(path, { max: HEAD, part: 'head' }).text) ?? [];
      return cwd === undefined ? [] : [{ id, cwd: JSON.parse(cwd) as string, startedAt, folder }];
    } catch {
      return [];
    }
  });
}

/** Absolute paths of the transcripts of all sessions. Those of subagents have other names. */
export function listTranscripts(folder: string): string[] {
  const projects = join(folder, 'projects');
  return listNames(projects).flatMap((slug) =>
    listNames(join(projects, slug))
      .filter((name) => /^[\da-f-]{36}\.jsonl$/.test(name))
      .map((name) => join(projects, slug, name)),
  );
}

/** Folders of configurations that running processes of Claude Code have in their environment. Linux only; else empty. */
export function listUsedFolders(): string[] {
  const found = new Set<string>();
  for (const pid of listNames('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'claude') continue;
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      const set = variables.find((variable) => variable.startsWith('CLAUDE_CONFIG_DIR='));
      if (set !== undefined && set.length > 'CLAUDE_CONFIG_DIR='.length)
        found.add(set.slice('CLAUDE_CONFIG_DIR='.length));
    } catch {
      // It ended, or it belongs to another user.
    }
  }
  return [...found];
}
