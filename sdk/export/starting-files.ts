import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { openSecretsOf, splitState, type Engine, type Snapshots } from '@klaus/core/agent';
import { toSecretValues, type Redactor } from '@klaus/core/policy';
import { isKlausError, type TreeChange, type TreeEntry } from '@klaus/core/protocol';
import { toHiddenNames } from '../workspace/hidden-files.ts';
import { orUndefined } from '../or-undefined.ts';
import type { RecordedSession } from './read-session.ts';

/** Maximum bytes of one file of a test, and of all files. */
const MAX_FILE = 1_048_576;
const MAX_ALL = 20 * 1_048_576;
/** The empty state. */
const NOTHING = createHash('sha256').digest('hex');

export interface StartingFiles {
  /** Content by path in the workspace. */
  files: Map<string, Uint8Array>;
  /** Paths that the session changed, with the SHA-256 of the final content; null for deleted files. */
  left: Record<string, string | null>;
  /** The workspace was the root of a repository. */
  hasGit: boolean;
  notes: string[];
}

/** The initial files of the session, if a snapshot of them exists, without secrets. */
export async function readStartingFiles(
  engine: Engine,
  session: RecordedSession,
  redactor: Redactor,
): Promise<StartingFiles> {
  const none: StartingFiles = { files: new Map(), left: {}, hasGit: session.usesGit, notes: [] };
  const needed = 'Put the files that the session began with into workspace/: ';
  const isSecret = toHiddenNames(engine);
  if (session.opened.snapshots === false) return { ...none, notes: [`${needed}it kept no states (undo was off).`] };
  try {
    const { workspace } = session.opened;
    const snapshots = await engine.openSnapshots(workspace);
    // A session without changes started with the present files, unless they were changed otherwise since.
    // Folders outside of the workspace are not part of the test.
    const [before = await snapshots.snapshot()] = session.before === undefined ? [] : splitState(session.before);
    // The present and former values of the workspace's secret files.
    if (existsSync(workspace)) redactor.learn(await openSecretsOf(engine, { workspace }).values());
    const found = await readTree(snapshots, before, { redactor, isSecret });
    if (session.before === undefined)
      found.notes.push('No state of the workspace is kept: the files are those of now.');
    const changes = session.after === undefined ? [] : await snapshots.changes(before, splitState(session.after)[0]!);
    const hasGit = snapshots.git(before).some(({ path }) => path === '');
    return { ...found, left: toLeft(changes, found.files, isSecret), hasGit };
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return { ...none, notes: [`${needed}${error.message}`] };
  }
}

async function readTree(
  snapshots: Snapshots,
  tree: string,
  { redactor, isSecret }: { redactor: Redactor; isSecret: (path: string) => boolean },
): Promise<Pick<StartingFiles, 'files' | 'notes'>> {
  const rows = (await snapshots.changes(NOTHING, tree)).filter(({ path }) => !isGenerated(path));
  // Secret files of the initial state may have been deleted since.
  for (const { path, after } of rows)
    if (after?.type === 'file' && isSecret(path) && after.size <= MAX_FILE && snapshots.isStored(after))
      redactor.learn(toSecretValues(path, new TextDecoder().decode(await snapshots.content(after))));
  const files = new Map<string, Uint8Array>();
  const leftOut: string[] = [];
  const redacted: string[] = [];
  let all = 0;
  for (const { path, after } of rows) {
    if (!after || after.type === 'directory') continue;
    if (isSecret(path) || !isSmall(after, all) || !snapshots.isStored(after)) {
      leftOut.push(path);
      continue;
    }
    const content = await snapshots.content(after);
    const text = toUtf8(content);
    // Binary files are not changed, and are omitted if they contain a secret.
    if (text === undefined && redactor.holds(content)) {
      leftOut.push(path);
      continue;
    }
    const clean = text === undefined ? undefined : redactor.redact(text);
    if (text !== undefined && clean !== text) redacted.push(path);
    files.set(path, clean === undefined || clean === text ? content : new TextEncoder().encode(clean));
    all += content.length;
  }
  const notes: string[] = [];
  if (leftOut.length > 0)
    notes.push(`Left out, because they are secret, large, not stored or no plain files: ${list(leftOut)}.`);
  if (redacted.length > 0) notes.push(`Secrets were taken out of ${list(redacted)}.`);
  return { files, notes };
}

/** Folders that an installation recreates. */
function isGenerated(path: string): boolean {
  return path.split('/').includes('node_modules');
}

function isSmall(entry: TreeEntry, all: number): boolean {
  return entry.type === 'file' && entry.size <= MAX_FILE && all + entry.size <= MAX_ALL;
}

function toUtf8(content: Uint8Array): string | undefined {
  return orUndefined(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content));
}

/** The files that a test can check: all that it starts with, and new ones. */
function toLeft(
  changes: readonly TreeChange[],
  files: ReadonlyMap<string, Uint8Array>,
  isSecret: (path: string) => boolean,
): Record<string, string | null> {
  const left: Record<string, string | null> = {};
  for (const { path, before, after } of changes) {
    if (isSecret(path) || isGenerated(path) || before?.type === 'directory' || after?.type === 'directory') continue;
    if ((before && !files.has(path)) || after?.type === 'symlink') continue;
    left[path] = after?.hash ?? null;
  }
  return left;
}

function list(paths: readonly string[]): string {
  return paths.length > 10 ? `${paths.slice(0, 10).join(', ')} and ${paths.length - 10} more` : paths.join(', ');
}
