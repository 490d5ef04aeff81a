import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { hashContent } from './content.ts';
import { withEntry, type PathEntry, type Root } from './path-entry.ts';
import { codeOf } from './race-error.ts';

const rowSchema = z.object({
  /** Relative path of the file. */
  path: z.string(),
  /** Name of the file with the new content, in the same directory. */
  temp: z.string().nullable(),
  /** Name of the file with the old content, in the same directory. */
  backup: z.string().nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
type JournalRow = z.infer<typeof rowSchema>;

const entrySchema = z.object({
  pid: z.int(),
  root: z.string(),
  /** False until every file is replaced. An incomplete step is undone. */
  done: z.boolean(),
  rows: z.array(rowSchema),
  /** Relative paths of directories that the step creates, outermost first. */
  directories: z.array(z.string()),
});
type JournalEntry = z.infer<typeof entrySchema>;

/** Records the temporary files of steps, so that another process can recover when this one is killed. */
export interface Journal {
  /** Writes the entry before the step begins. */
  begin(entry: Omit<JournalEntry, 'pid' | 'done'>): { done(): void; end(): void };
  /** Entries whose process has ended. */
  abandoned(root: string): { entry: JournalEntry; end(): void }[];
}

/**
 * Creates a journal in `folder`, with one small file for each running step. It protects against a killed process, but not
 * against a power loss, and is not synced.
 */
export function createJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (file: string, entry: JournalEntry) => {
    writeFileSync(`${file}.new`, JSON.stringify(entry), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    begin(rows) {
      const file = join(folder, `step-${process.pid}-${randomBytes(6).toString('hex')}.json`);
      const entry: JournalEntry = { ...rows, pid: process.pid, done: false };
      write(file, entry);
      return {
        done: () => write(file, { ...entry, done: true }),
        end: () => rmSync(file, { force: true }),
      };
    },
    abandoned(root) {
      for (const name of readdirSync(folder)) {
        const pid = /^(?:step|clock)-(\d+)-[0-9a-f]+(?:\.json\.new)?$/.exec(name)?.[1];
        if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
      }
      return readdirSync(folder)
        .filter((name) => /^step-.*\.json$/.test(name))
        .flatMap((name) => {
          const file = join(folder, name);
          const entry = readEntry(file);
          if (!entry || entry.root !== root || isAlive(entry.pid)) return [];
          return [{ entry, end: () => rmSync(file, { force: true }) }];
        });
    },
  };
}

function readEntry(file: string): JournalEntry | undefined {
  try {
    return entrySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    // Missing: its process has just finished the step. Unreadable: it cannot be used.
    if (codeOf(error) === 'ENOENT' || error instanceof z.ZodError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** True for a running process in this pid namespace. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Recovers from processes that were killed while they wrote. Incomplete steps of several files are undone, and temporary
 * files are removed. A file that was changed since then is left as it is.
 */
export async function recoverEdits(root: Root, journal: Journal): Promise<void> {
  for (const abandoned of journal.abandoned(root.path)) {
    const { entry: step } = abandoned;
    for (const row of step.rows) await withEntry(root, row.path, (entry) => recoverRow(entry, row, step));
    if (!step.done) for (const path of step.directories.toReversed()) await withEntry(root, path, removeDirectory);
    abandoned.end();
  }
}

async function recoverRow(entry: PathEntry, row: JournalRow, step: JournalEntry): Promise<void> {
  if (entry.missing.length > 0 || entry.name === '.' || entry.viaLink) return;
  const name = entry.parent.child(entry.name);
  const has = (file: string) => lstatSync(entry.parent.child(file), { throwIfNoEntry: false }) !== undefined;
  const isOurs =
    !step.done &&
    step.rows.length > 1 &&
    (!entry.stat || entry.stat.isFile()) &&
    (await hashContent(entry)) === row.after;
  if (isOurs && row.backup !== null && has(row.backup)) renameSync(entry.parent.child(row.backup), name);
  else if (isOurs && row.before === null && row.after !== null) unlinkSync(name);
  for (const left of [row.backup, row.temp]) if (left !== null && has(left)) unlinkSync(entry.parent.child(left));
}

function removeDirectory(entry: PathEntry): void {
  if (entry.name !== '.' || entry.relative === '') return;
  try {
    rmdirSync(entry.absolute);
  } catch (error) {
    if (!['ENOTEMPTY', 'ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error))) throw error;
  }
}
