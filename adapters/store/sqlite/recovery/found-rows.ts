import { addRow, type FoundRows } from './found-chain.ts';
import type { DamagedPages } from './damaged-pages.ts';

/** What was found of one chain. */
export interface FoundChain {
  records: FoundRows;
  /** Highest seq that is known to have existed. */
  last: number;
  /** Hashes that rows of heads have for a seq. */
  heads: Map<number, Set<string>>;
}

export interface FoundSession extends FoundChain {
  fence: number;
}

export interface Found {
  sessions: Map<string, FoundSession>;
  host: FoundChain;
  /** Names that may be steps of the schema. */
  steps: Set<string>;
}

/** Finds all rows that may be a record or the head of a chain. The hashes of the chain decide. */
export function findRows(pages: DamagedPages): Found {
  const found: Found = { sessions: new Map(), host: createChain(), steps: new Set() };
  const of = (session: string): FoundSession => {
    const known = found.sessions.get(session) ?? { ...createChain(), fence: 1 };
    found.sessions.set(session, known);
    return known;
  };
  for (const { locator, values } of pages.rows()) {
    // events: id (stored as the row id), session_id, seq, type, record
    if (values.length === 5 && values[0] === null) {
      const [, session, seq, type] = values;
      if (typeof session !== 'string' || typeof seq !== 'number' || typeof type !== 'string') continue;
      addRecord(of(session), seq, locator);
    }
    // host_events: id (stored as the row id), seq, at, type, subject, record
    if (values.length === 6 && values[0] === null) {
      const [, seq, at, type] = values;
      if (typeof seq !== 'number' || typeof at !== 'number' || typeof type !== 'string') continue;
      addRecord(found.host, seq, locator);
    }
    // heads: session_id, seq, hash, fence
    if (values.length === 4) {
      const [session, seq, hash, fence] = values;
      if (typeof session !== 'string' || typeof seq !== 'number' || typeof fence !== 'number' || !isHash(hash))
        continue;
      const chain = of(session);
      addHead(chain, seq, hash);
      chain.fence = Math.max(chain.fence, fence);
    }
    // host_head: id (stored as the row id), seq, hash
    if (values.length === 3 && values[0] === null) {
      const [, seq, hash] = values;
      if (typeof seq === 'number' && isHash(hash)) addHead(found.host, seq, hash);
    }
    // migrations: name, applied_at
    if (values.length === 2) {
      const [name, at] = values;
      if (typeof name === 'string' && /^m\d{3}-[\w-]+$/.test(name) && isTime(at)) found.steps.add(name);
    }
  }
  return found;
}

function createChain(): FoundChain {
  return { records: new Map(), last: 0, heads: new Map() };
}

function addRecord(chain: FoundChain, seq: number, locator: Parameters<typeof addRow>[2]): void {
  addRow(chain.records, seq, locator);
  chain.last = Math.max(chain.last, seq);
}

function addHead(chain: FoundChain, seq: number, hash: string): void {
  chain.heads.set(seq, (chain.heads.get(seq) ?? new Set()).add(hash));
  chain.last = Math.max(chain.last, seq);
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}
