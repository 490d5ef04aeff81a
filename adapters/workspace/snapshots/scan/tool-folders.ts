import { toAncestors } from '../../path-entry.ts';
import type { Database } from '../database.ts';
import { EMPTY } from '../tree.ts';

/** A folder that a tool marked as its own when it was seen first. */
export interface ToolFolderState {
  /** False since the folder was seen without the marker: it is covered permanently. */
  isActive: boolean;
  /** True if the content of all files in it was stored by the last scan. */
  isComplete: boolean;
}

const TOOL = 'tool:';
const OWN = 'own:';
const INSERT = "INSERT OR IGNORE INTO meta VALUES (?, '')";

/**
 * The folders of tools, and those that were seen first without a marker, which stay covered permanently. That is known of
 * present folders by the cache of scans, and of removed ones by a row.
 */
export class ToolFolders {
  readonly #db: Database;
  #tools: Map<string, ToolFolderState> | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Forgets what is in memory. Call it when another process may have written. */
  refresh(): void {
    this.#tools = undefined;
  }

  /** By relative path. */
  get all(): ReadonlyMap<string, ToolFolderState> {
    return this.#load();
  }

  /** True for a path strictly below an active folder. */
  isInside(path: string): boolean {
    const tools = this.#load();
    return tools.size > 0 && [...toAncestors(path)].some((above) => tools.get(above)?.isActive === true);
  }

  /** True for a folder that has been seen without a marker, and was removed or marked since. */
  isOwn(path: string): boolean {
    return this.#db.get('SELECT 1 FROM meta WHERE name = ?', `${OWN}${path}`) !== undefined;
  }

  /** Call in a transaction. @param state Undefined: it is not a tool's. */
  put(path: string, state: ToolFolderState | undefined): void {
    if (!state) {
      this.#db.run(INSERT, `${OWN}${path}`);
      return;
    }
    this.#load().set(path, state);
    this.#db.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', `${TOOL}${path}`, JSON.stringify(state));
    if (!state.isComplete) this.#db.markIncomplete();
  }

  /** Keeps what the cache of scans knows of a removed folder and those below it. Call in a transaction. */
  keepOwn(path: string): void {
    if (path.split('/').includes('.git') || this.#isTool(path)) return;
    const rows = this.#db.all<{ path: string }>(
      'SELECT path FROM seen WHERE (path = ? OR (path > ? AND path < ?)) AND tree <> ?',
      ...[path, `${path}/`, `${path}0`, EMPTY],
    );
    for (const row of rows) if (!this.#isTool(row.path)) this.#db.run(INSERT, `${OWN}${row.path}`);
  }

  #isTool(path: string): boolean {
    return this.#load().get(path)?.isActive === true || this.isInside(path);
  }

  #load(): Map<string, ToolFolderState> {
    if (this.#tools) return this.#tools;
    const sql = 'SELECT name, value FROM meta WHERE name > ? AND name < ?';
    const rows = this.#db.all<{ name: string; value: string }>(sql, TOOL, 'tool;');
    this.#tools = new Map(rows.map(({ name, value }) => [name.slice(TOOL.length), toState(value)]));
    return this.#tools;
  }
}

function toState(value: string): ToolFolderState {
  const { isActive, isComplete } = JSON.parse(value) as Partial<ToolFolderState>;
  return { isActive: isActive === true, isComplete: isComplete === true };
}
