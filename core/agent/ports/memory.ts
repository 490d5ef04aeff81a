/** Where an entry applies: in one workspace, or in all workspaces of the user. */
export type KnowledgeScope = 'project' | 'global';

/** Maximum characters of each part of an entry. */
export const KNOWLEDGE_LIMITS = { key: 200, value: 4_000, category: 50 } as const;

/** An entry that later sessions can read. */
export interface KnowledgeEntry {
  key: string;
  value: string;
  /** Default `general`; entries of `pinned` come first in the context. */
  category: string;
  scope: KnowledgeScope;
  /** The session that wrote it last; null for a user. */
  session: string | null;
  /** Unix milliseconds. */
  createdAt: number;
  /** Unix milliseconds. */
  updatedAt: number;
}

export interface KnowledgeDraft {
  /** One line; see KNOWLEDGE_LIMITS. */
  key: string;
  value: string;
  /** One line. Default: that of the entry, else `general`. */
  category?: string;
  /** Default `project`. */
  scope?: KnowledgeScope;
  /** Default null: a user wrote it. */
  session?: string | null;
}

export interface KnowledgeFilter {
  category?: string;
  /** Default both. */
  scope?: KnowledgeScope;
  /** Default 50. */
  limit?: number;
}

/**
 * The knowledge about one workspace, together with the global one. `get` prefers an entry of the project over a global
 * one with the same key; lists and searches return both.
 */
export interface Knowledge {
  /** Undefined when nothing is known under the key. */
  get(key: string, scope?: KnowledgeScope): Promise<KnowledgeEntry | undefined>;
  /**
   * Creates or replaces an entry. Durable when it resolves.
   *
   * @throws KlausError `usage` for a key, category or value that is empty or too long, and if there are too many entries.
   */
  set(draft: KnowledgeDraft): Promise<KnowledgeEntry>;
  /** The project's before the global ones; of each the category `pinned` first, then the latest first. */
  list(filter?: KnowledgeFilter): Promise<KnowledgeEntry[]>;
  /** How many entries `list` would show without a limit. */
  count(filter?: Omit<KnowledgeFilter, 'limit'>): Promise<number>;
  /** Entries in whose key, value or category a word of the query begins a word, the best first. Never throws for any query. */
  search(query: string, filter?: Omit<KnowledgeFilter, 'category'>): Promise<KnowledgeEntry[]>;
  /** True when there was one. Durable when it resolves. */
  remove(key: string, scope: KnowledgeScope): Promise<boolean>;
}
