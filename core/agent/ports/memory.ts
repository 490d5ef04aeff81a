/** Where an entry holds: in one workspace, or in every one of this user. */
export type KnowledgeScope = 'project' | 'global';

/** Characters that are kept of each part of an entry. */
export const KNOWLEDGE_LIMITS = { key: 200, value: 4_000, category: 50 } as const;

/** One thing that is remembered from session to session. */
export interface KnowledgeEntry {
  key: string;
  value: string;
  /** Default `general`; entries of `pinned` come first in the context. */
  category: string;
  scope: KnowledgeScope;
  /** The session that wrote it last; null when a user did. */
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
  category?: string | undefined;
  /** Default `project`. */
  scope?: KnowledgeScope | undefined;
  /** Default null: a user wrote it. */
  session?: string | null | undefined;
}

export interface KnowledgeFilter {
  category?: string | undefined;
  /** Default both. */
  scope?: KnowledgeScope | undefined;
  /** Default 50. */
  limit?: number | undefined;
}

/**
 * What is known about one workspace, together with what holds everywhere. A key of the project hides the same
 * key of the global scope wherever one entry is asked for; lists and searches show both.
 */
export interface Knowledge {
  /** Undefined when nothing is known under the key. */
  get(key: string, scope?: KnowledgeScope): Promise<KnowledgeEntry | undefined>;
  /**
   * Makes or replaces an entry. Durable when it resolves.
   *
   * @throws KlausError `usage` for a key, category or value that is empty or too long, and for one entry too many.
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
