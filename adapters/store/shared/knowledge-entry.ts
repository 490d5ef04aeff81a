import { headOf } from '@klaus/core/cut-text';
import { KNOWLEDGE_LIMITS, type KnowledgeDraft, type KnowledgeEntry, type KnowledgeScope } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';

/** Entries of one scope. */
export const MAX_ENTRIES = 1_000;
/** Characters of a query that are used. */
const MAX_QUERY = 10_000;
/** Words of a query that are used. */
const MAX_WORDS = 20;

/** A row of `knowledge` as a statement returns it. An entry of all workspaces has an empty workspace. */
export type KnowledgeRow = Omit<KnowledgeEntry, 'scope' | 'createdAt' | 'updatedAt'> &
  Record<'workspace' | 'createdAt' | 'updatedAt', string>;

/** The columns of {@link KnowledgeRow}, in the SQL of both stores. */
export const KNOWLEDGE_COLUMNS = `workspace, knowledge.key, knowledge.value, knowledge.category, session_id AS session,
  created_at AS "createdAt", updated_at AS "updatedAt"`;

export function toKnowledgeEntry(row: KnowledgeRow): KnowledgeEntry {
  return {
    key: row.key,
    value: row.value,
    category: row.category,
    scope: row.workspace === '' ? 'global' : 'project',
    session: row.session,
    createdAt: Date.parse(row.createdAt),
    updatedAt: Date.parse(row.updatedAt),
  };
}

/** @throws KlausError `usage` for a text that is empty or too long. */
function checkText(what: keyof typeof KNOWLEDGE_LIMITS, given: string): string {
  const text = given.toWellFormed().trim();
  const refuse = (why: string) => new KlausError('usage', `The ${what} ${why}.`);
  if (text === '') throw refuse('is empty');
  if (text.length > KNOWLEDGE_LIMITS[what])
    throw refuse(`has ${text.length} characters; at most ${KNOWLEDGE_LIMITS[what]} are kept`);
  if (text.includes('\0')) throw refuse('contains a null byte');
  if (what !== 'value' && /[\n\r]/.test(text)) throw refuse('must be one line');
  return text;
}

/** The checked texts of a draft. @throws KlausError `usage` for one that is empty or too long. */
export function checkDraft({ key, value, category }: KnowledgeDraft) {
  return {
    key: checkText('key', key),
    value: checkText('value', value),
    category: category === undefined ? null : checkText('category', category),
  };
}

export function tooManyEntries(scope: KnowledgeScope): KlausError {
  return new KlausError('usage', `There are ${MAX_ENTRIES} ${scope} entries already.`, {
    hint: 'Delete some with klaus memory delete.',
  });
}

/** The words of a query, each at most 100 characters. They consist of letters and digits. */
export function toKnowledgeWords(query: string): string[] {
  const words =
    headOf(query, MAX_QUERY)
      .toWellFormed()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, MAX_WORDS).map((word) => headOf(word, 100));
}
