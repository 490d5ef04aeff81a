import type { Grant } from '../protocol/index.ts';
import { allowsTool } from './grant/access.ts';
import { heldBy, liveAt } from './grant/algebra.ts';
import type { CallFacts, Rule } from './rule.ts';
import { toAddress, toChoiceBits, type Taint } from './taint.ts';

/**
 * Most bits that a session sends between two prompts by choosing addresses, of pages and of prompts: which one of n it
 * requests is log2(n) bits for the server. A key has 128 bits or more.
 */
const MAX_CHOICE_BITS = 72;

/** Most requests for one address between two prompts. */
const MAX_REQUESTS = 32;

/** Maximum characters of a search query after untrusted content was read. */
const MAX_QUERY = 200;

const WORD = /[\p{L}\p{N}_]+/gu;

/**
 * A session that has read untrusted content and can read private data asks before it sends anything out, because the
 * content can contain instructions. See docs/web-tools.md.
 */
export const taintRule: Rule = {
  name: 'taint',
  check(call, { taint, grant, now, isOffline = false }) {
    if (!taint || call.byUser || call.engine) return undefined;
    if (!taint.isPassed && !readsPrivateData(grant, now)) return undefined;
    const problem = findProblem(call, { taint, isOffline });
    return problem === undefined
      ? undefined
      : { verdict: 'ask', reason: `the session has read ${taint.source}, which is untrusted, and ${problem}` };
  },
};

/** True if the session can read files, run commands, send secrets, or read its notes about the workspace. */
function readsPrivateData(grant: Grant, now: number): boolean {
  const kinds = new Set(['fs', 'exec', 'secret']);
  if (liveAt(heldBy(grant), now).some(({ kind }) => kinds.has(kind))) return true;
  return ['memory_get', 'memory_search', 'memory_list'].some((name) => allowsTool(grant, name, now));
}

function findProblem(call: CallFacts, { taint, isOffline }: { taint: Taint; isOffline: boolean }): string | undefined {
  if (call.isForLater) return 'later sessions would read this';
  const way = findWayOut(call, isOffline);
  if (way === undefined) return undefined;
  if (call.fetches !== undefined) return findAddressProblem(call.fetches, taint);
  if (call.searches !== undefined) return findQueryProblem(call.searches, taint);
  return way;
}

/** How a call could send data out; undefined if it cannot. */
function findWayOut({ access, effects, sends }: CallFacts, isOffline: boolean): string | undefined {
  for (const each of access) {
    if (each.kind === 'secret') return `this sends ${each.name} to ${each.host}`;
    if (each.kind === 'net') return each.host === '*' ? 'this reaches the network' : `this reaches ${each.host}`;
    if (each.kind === 'exec' && each.hasNetwork) return 'this command can have the network';
  }
  if (effects.includes('execute') && !isOffline) return 'commands have the network here';
  if (effects.includes('network') || effects.includes('deploy') || sends) return 'this can reach the network';
  return undefined;
}

function findAddressProblem(url: string, taint: Taint): string | undefined {
  const address = toAddress(url);
  if (address === undefined || !taint.addresses.has(address)) return 'neither the user nor a page names this address';
  if ((taint.fetched.get(address) ?? 0) >= MAX_REQUESTS)
    return 'it has read this address many times since the last prompt';
  if (taint.spentBits + toChoiceBits(taint, address) <= MAX_CHOICE_BITS) return undefined;
  return 'it has requested many addresses since the last prompt, whose choice can contain data';
}

/** A query is sent to the search service of the user. It may contain only words that are not from private data. */
function findQueryProblem(query: string, { prompts, pages }: Taint): string | undefined {
  if (query.length > MAX_QUERY) return 'the query is long';
  const left = new Set(toWords(query));
  for (const text of prompts()) for (const word of toWords(text)) left.delete(word);
  // Letters and digits of pages could spell anything.
  const single = [...left].find((word) => word.length === 1);
  if (single === undefined && left.size > 0)
    for (const text of pages()) for (const word of toWords(text)) left.delete(word);
  const [word] = left;
  return word === undefined ? undefined : `neither the user nor a page contains the word ${JSON.stringify(word)}`;
}

function toWords(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}
