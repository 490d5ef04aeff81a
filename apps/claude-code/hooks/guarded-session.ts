import type { HostEvent, HostEventOf } from '@klaus/sdk';
import {
  findErrors,
  findFetchedPaths,
  findWrittenPaths,
  isBelow,
  toDenialKey,
  type Check,
  type Denial,
} from '@klaus/sdk/guard';

/** An acknowledged error is not asked about again for this time. */
const ERROR_MS = 300_000;
/** Blocks of one turn: Claude Code overrides the ninth. */
const MAX_BLOCKS = 8;
const MAX_PROMPTS = 20;
const MAX_EDITED = 200;
const MAX_CHECKS = 50;

/** What the guard knows about one session of Claude Code: a fold of the host chain. */
export interface GuardedSession {
  /** Words of the user, the oldest first. */
  prompts: string[];
  denials: Denial[];
  /** Failed calls about which no reviewer was asked yet. */
  errors: { at: number; text: string }[];
  /** Fingerprints of errors that a reviewer found acknowledged. */
  acknowledged: { at: number; fingerprint: string }[];
  /** Absolute paths that were edited since the last prompt. */
  edited: string[];
  /** Unix milliseconds of the first event. */
  began: number;
  /** Absolute paths that the session wrote, as far as its calls name them. */
  wrote: Set<string>;
  /** Absolute paths that it fetched from elsewhere. */
  fetched: Set<string>;
  /** Position of the last edit in the project by a tool for edits. */
  lastEdit: number;
  lastEdited: string;
  /** The files when the guard first saw the session: see `readFilesState`. */
  firstState: string | undefined;
  /** Checks that have ended, the oldest first. */
  checks: GuardedCheck[];
  /** Ends that were blocked since the last prompt of the user. */
  blocks: number;
}

export interface GuardedCheck {
  seq: number;
  command: string;
  passed: boolean;
  checks: Check[] | undefined;
  doubt: string | undefined;
  /** The files as the check saw them. Undefined if they are not known. */
  state: string | undefined;
}

export function createGuardedSession(now: number): GuardedSession {
  return {
    began: now,
    wrote: new Set(),
    fetched: new Set(),
    prompts: [],
    denials: [],
    errors: [],
    acknowledged: [],
    edited: [],
    lastEdit: 0,
    lastEdited: '',
    firstState: undefined,
    checks: [],
    blocks: 0,
  };
}

/** Applies a host event of this session. */
export function foldGuarded(session: GuardedSession, event: HostEvent): void {
  session.began = Math.min(session.began, event.at);
  if (event.type === 'guard.observed') {
    if (event.what !== 'checked') session.firstState ??= event.state;
    switch (event.what) {
      case 'prompt':
        session.prompts = [...session.prompts, event.text].slice(-MAX_PROMPTS);
        session.denials = [];
        session.edited = [];
        session.blocks = 0;
        return;
      case 'edited':
        session.wrote.add(event.text);
        if (isBelow(event.text, event.workspace)) {
          session.lastEdit = event.seq;
          session.lastEdited = event.text;
        }
        session.edited = [...new Set([...session.edited, event.text])].slice(-MAX_EDITED);
        return;
      case 'checked':
        session.checks = [...session.checks, toCheck(event)].slice(-MAX_CHECKS);
        return;
      case 'failed':
        session.errors = [...session.errors, { at: event.at, text: event.text }].slice(-MAX_PROMPTS);
        return;
      default:
        return;
    }
  }
  if (event.type !== 'guard.decided') return;
  if (event.event === 'PreToolUse' && toKind(event.tool) === 'command' && event.verdict !== 'deny') {
    for (const path of findWrittenPaths(event.text, event.workspace)) session.wrote.add(path);
    for (const path of findFetchedPaths(event.text, event.workspace)) session.fetched.add(path);
  }
  if (event.event === 'Stop' && event.verdict === 'deny') session.blocks += 1;
  if (event.event === 'PreToolUse' && event.verdict === 'deny')
    session.denials = [
      ...session.denials,
      { at: event.at, key: toDenialKey(toKind(event.tool), event.rule, event.reason) },
    ];
}

function toCheck({ seq, text, passed, checks, doubt, state }: HostEventOf<'guard.observed'>): GuardedCheck {
  return { seq, command: text, passed: passed === true, checks, doubt, state };
}

/** The kind of a call, by the tool of Claude Code. */
export function toKind(tool = ''): string {
  return /^(?:Bash|Monitor|PowerShell)$/.test(tool) ? 'command' : /Edit|Write/.test(tool) ? 'write' : tool;
}

/** Errors that are recent enough to be asked about. */
export function openErrors({ errors }: GuardedSession, now: number): string[] {
  return errors.filter(({ at }) => now - at < ERROR_MS).map(({ text }) => text);
}

export function canBlock({ blocks }: GuardedSession): boolean {
  return blocks < MAX_BLOCKS;
}

/** Fingerprints of errors that were acknowledged a short time ago. */
export function listAcknowledged({ acknowledged }: GuardedSession, now: number): string[] {
  return acknowledged.filter(({ at }) => now - at < ERROR_MS).map(({ fingerprint }) => fingerprint);
}

/** Records that the errors in these outputs were acknowledged. */
export function acknowledge(session: GuardedSession, outputs: readonly string[], now: number): void {
  const found = outputs.flatMap((text) => findErrors(text)).map(({ fingerprint }) => ({ at: now, fingerprint }));
  session.acknowledged = [...session.acknowledged.filter(({ at }) => now - at < ERROR_MS), ...found].slice(-MAX_EDITED);
}
