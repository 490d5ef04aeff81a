import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Klaus } from '@klaus/sdk';
import { type GuardState, readGuardStates } from '@klaus/sdk/guard-log';
import { isBelow } from '@klaus/sdk/guard';
import { toHookPath } from '../install/hook-program.ts';
import { toClaudeFolder } from '../install/settings-file.ts';
import { type ClaudeSession, listClaudeSessions, listRecordedSessions, listUsedFolders } from './claude-sessions.ts';
import { findProblems, listOthers } from './find-problems.ts';
import { FolderWatch } from './folder-watch.ts';

export interface HeartbeatOptions {
  klaus: Pick<Klaus, 'store' | 'recordGuard'>;
  /** Absolute path of the state folder. */
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds in which the guard must have seen a session that Claude Code lists. Default 5,000. */
  graceMs?: number;
}

/** Milliseconds for which changes of files are collected. */
const COLLECT_MS = 100;
/** Milliseconds between two checks. */
const REST_MS = 500;
/** Milliseconds after which a call leads to a check although no file changed. */
const CALL_MS = 3_000;
const GRACE_MS = 5_000;
const DAY_MS = 86_400_000;
/** Projects whose settings are watched: those with the latest decisions. */
const MAX_PROJECTS = 20;
/** Decisions among which these projects are searched at the start. */
const MAX_READ = 500;
/** Longest time after which a timer can be set. */
const NEVER = Infinity;

/**
 * Reports in the host chain when the guard is switched off, and when a session of Claude Code runs without it. It watches
 * the folders of the settings, of the hook program and of the sessions that Claude Code lists.
 */
export class Heartbeat {
  readonly #options: Required<HeartbeatOptions>;
  readonly #watch: FolderWatch;
  /** Sessions that the guard has not seen yet, by id. */
  readonly #pending = new Map<string, ClaudeSession & { foundAt: number }>();
  /** Sessions that need no further look. */
  readonly #settled = new Set<string>();
  /** Projects with decisions, the latest last, up to this seq. */
  readonly #projects = new Set<string>();
  #lastSeq = 0;
  #timer: NodeJS.Timeout | undefined;
  #due = NEVER;
  #checkedAt = 0;
  #running: Promise<void> | undefined;
  #isFirst = true;
  #isClosed = false;

  constructor(options: HeartbeatOptions) {
    this.#options = { graceMs: GRACE_MS, ...options };
    this.#watch = new FolderWatch(() => this.#plan(COLLECT_MS));
  }

  /** Call it after the answer to each event of a hook. It costs nothing while a check is recent. */
  noticeCall(): void {
    if (Date.now() - this.#checkedAt > CALL_MS) this.#plan(0);
  }

  /** Compares the files with the recorded states, and records what changed. One check runs at a time. */
  async check(): Promise<void> {
    await (this.#running ??= this.#check().finally(() => (this.#running = undefined)));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#watch.close();
  }

  #plan(ms: number): void {
    const due = Math.max(Date.now() + ms, this.#checkedAt + REST_MS);
    if (this.#isClosed || due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = NEVER;
      // A check that runs may have read a file before it changed.
      if (this.#running) return this.#plan(COLLECT_MS);
      // A check that fails, such as by a full disk, is repeated at the next change or call.
      this.check().catch(() => {});
    }, due - Date.now()).unref();
  }

  async #check(): Promise<void> {
    const { klaus, env, home } = this.#options;
    this.#checkedAt = Date.now();
    const states = readGuardStates(klaus.store.view);
    const installed = states.filter(isInstallation);
    if (installed.length === 0) return this.#watch.set([]);
    const projects = await this.#listProjects(installed);
    const program = toHookPath(home);
    const checks = installed.map((state) => ({
      state,
      installation: { place: state.place, file: state.of },
      around: { env, projects, program, hook: state.hook },
    }));
    const files = checks.flatMap(({ installation, around }) => [
      installation.file,
      ...listOthers(installation, around),
    ]);
    const own = installed.filter(({ place }) => place === 'user').map(({ workspace }) => workspace);
    const configurations = [...new Set([...own, toClaudeFolder({ env }), ...listUsedFolders()])];
    // Before the files are read: a change while they are read leads to another check.
    if (!this.#isClosed)
      this.#watch.set([
        ...[program, ...files].map((file) => dirname(file)),
        ...configurations.map((folder) => join(folder, 'sessions')),
      ]);
    for (const { state, installation, around } of checks) await this.#report(state, findProblems(installation, around));
    await this.#checkSessions(configurations, installed);
  }

  /** The projects with the latest decisions, and those with an installation. */
  async #listProjects(installed: readonly Installed[]): Promise<string[]> {
    const { store } = this.#options.klaus;
    const filter = this.#lastSeq === 0 ? { before: Infinity } : { after: this.#lastSeq };
    const found: { seq: number; workspace: string }[] = [];
    for await (const event of store.hostEvents({ type: 'guard.decided', ...filter })) {
      if (event.type === 'guard.decided') found.push(event);
      if (this.#lastSeq === 0 && found.length === MAX_READ) break;
    }
    for (const { seq, workspace } of found.toSorted((a, b) => a.seq - b.seq)) {
      this.#lastSeq = seq;
      this.#projects.delete(workspace);
      this.#projects.add(workspace);
    }
    const own = installed.filter(({ place }) => place === 'project').map(({ workspace }) => workspace);
    return [...new Set([...own, ...[...this.#projects].slice(-MAX_PROJECTS)])];
  }

  async #report(state: GuardState, problems: readonly string[]): Promise<void> {
    const now = problems.length === 0 ? 'on' : 'off';
    const reason = problems.length === 0 ? 'the hooks work again' : problems.join('; ');
    if (state.state === now && (now === 'on' || state.reason === reason)) return;
    const { of, workspace, place } = state;
    await this.#options.klaus.recordGuard({
      type: 'guard.changed',
      workspace,
      of,
      place,
      state: now,
      reason,
    });
  }

  /** Sessions of Claude Code without an event in the host chain. They are remembered, because many end soon. */
  async #checkSessions(configurations: readonly string[], installed: readonly Installed[]): Promise<void> {
    const { klaus, graceMs } = this.#options;
    const now = Date.now();
    const since = Math.min(...installed.map((state) => state.since));
    const running = configurations.flatMap(listClaudeSessions).filter(({ startedAt }) => startedAt >= since);
    // Those that ran while no daemon watched.
    const earlier = this.#isFirst
      ? configurations.flatMap((folder) => listRecordedSessions(folder, Math.max(since, now - DAY_MS)))
      : [];
    this.#isFirst = false;
    for (const session of [...running, ...earlier])
      if (!this.#settled.has(session.id) && !this.#pending.has(session.id))
        this.#pending.set(session.id, { ...session, foundAt: now });
    if (this.#pending.size === 0) return;
    const seen = await listSeen(klaus, Math.min(...[...this.#pending.values()].map(({ startedAt }) => startedAt)));
    for (const session of this.#pending.values()) {
      const isMissed = !seen.has(session.id) && isGuarded(session, installed);
      const wait = session.foundAt + graceMs - now;
      if (isMissed && wait > 0) {
        this.#plan(wait);
        continue;
      }
      this.#pending.delete(session.id);
      this.#settled.add(session.id);
      if (isMissed) await this.#reportMissed(session);
    }
  }

  async #reportMissed({ id, cwd, folder }: ClaudeSession): Promise<void> {
    const { klaus } = this.#options;
    const reason = `the session ${id} in ${cwd}, with the configuration in ${folder}, ran without the hooks of the guard`;
    await klaus.recordGuard({ type: 'guard.changed', workspace: toReal(cwd), of: id, state: 'missed', reason });
  }
}

type Installed = GuardState & { place: NonNullable<GuardState['place']> };

function isInstallation(state: GuardState): state is Installed {
  return state.state !== 'missed' && state.place !== undefined;
}

/** True if an installation concerns the session. */
function isGuarded({ cwd }: ClaudeSession, installed: readonly Installed[]): boolean {
  return installed.some(({ place, workspace }) => place !== 'project' || isBelow(toReal(cwd), workspace));
}

/** Ids of the sessions with an event at that time or later. A session that was reported is one of them. */
async function listSeen({ store }: Pick<Klaus, 'store'>, since: number): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (const type of ['guard.observed', 'guard.decided', 'guard.changed'] as const)
    for await (const event of store.hostEvents({ type, before: Infinity })) {
      if (event.at < since) break;
      if ('guarded' in event) seen.add(event.guarded);
      if (event.type === 'guard.changed') seen.add(event.of);
    }
  return seen;
}

function toReal(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
