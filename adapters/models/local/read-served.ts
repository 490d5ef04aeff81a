import type { Agent, OutgoingHttpHeaders } from 'node:http';
import { KlausError, type ServerFamily } from '@klaus/core/protocol';
import { SERVERS } from '../dialect/families.ts';
import { type Ask, createAsk, READ, READ_LATER } from './ask-server.ts';
import type { LocalProgram, ServerFacts } from './local-program.ts';

/** A model of a program that says how it serves it. */
export interface Served {
  program: LocalProgram;
  /** For questions after a request. */
  ask: Ask;
  /** Scheme, host and port. */
  origin: string;
  /** False: it did not answer, so that its facts are unknown. */
  isUp: boolean;
  facts: ServerFacts;
}

export interface ServedQuery {
  family: ServerFamily;
  /** Full name, for messages. */
  name: string;
  /** The server's id of the model. */
  id: string;
  baseUrl: string;
  headers: OutgoingHttpHeaders;
  agent?: Agent;
  /** True if the user has set the context window. */
  isWindowSet: boolean;
  /** False: no model is loaded. Default true. */
  loads?: boolean;
  onNotice?: (text: string) => void;
}

/** Milliseconds in which a program loads a model. */
const LOAD_MS = 600_000;
/** Tokens that the instructions, the tools and a few results of a session need. */
const COMFORTABLE = 16_384;
const RECOMMENDED = 32_768;

/**
 * Asks a program about a model. It gets the id of the model and no other text.
 *
 * @returns Undefined for a family that does not say how it serves its models.
 * @throws KlausError `config` if the program answers, and the context window is neither known nor set: a program that gets a longer prompt than
 *   its window may cut it without an error.
 */
export async function readServed(query: ServedQuery): Promise<Served | undefined> {
  const { family, name, id, headers, agent, isWindowSet, loads = true, onNotice } = query;
  const { program } = SERVERS[family];
  if (!program) return undefined;
  const at = { origin: new URL(query.baseUrl).origin, headers, ...(agent && { agent }) };
  let isUp = false;
  const ask = createAsk({ ...at, ...READ, onStatus: () => void (isUp = true) });
  let facts = await program.readFacts(ask, id);
  if (facts.contextWindow === undefined && Object.keys(facts).length > 0 && program.load && loads && !isWindowSet) {
    onNotice?.(`${program.title} loads ${id}.`);
    await program.load(createAsk({ ...at, ...READ, timeoutMs: LOAD_MS }), id);
    facts = await program.readFacts(ask, id);
  }
  if (!isWindowSet && isUp) checkWindow(facts, { program, name, id, origin: at.origin, loads, onNotice });
  return { program, ask: createAsk({ ...at, ...READ_LATER }), origin: at.origin, isUp, facts };
}

interface Checked extends Pick<ServedQuery, 'name' | 'id' | 'loads' | 'onNotice'> {
  program: LocalProgram;
  origin: string;
}

function checkWindow({ contextWindow, largestWindow = Infinity }: ServerFacts, checked: Checked): void {
  const { program, name, id, origin, loads, onNotice } = checked;
  const enlarge = program.enlarge(id, Math.min(RECOMMENDED, largestWindow));
  if (contextWindow === undefined) {
    // Without loading it, nothing is known.
    if (loads === false) return;
    throw new KlausError('config', `${program.title} at ${origin} does not say which context window ${name} has.`, {
      hint: `Load the model: ${enlarge}. Or set \`contextWindow\` of the model, as docs/guides/local-models.md describes.`,
    });
  }
  if (contextWindow >= COMFORTABLE) return;
  const what = `${program.title} has loaded ${id} with a context window of ${contextWindow} tokens. A session needs about ${COMFORTABLE}`;
  const most = largestWindow < COMFORTABLE ? `; this model has at most ${largestWindow}` : '';
  const advice = largestWindow > contextWindow ? enlarge : 'choose another one';
  onNotice?.(`${what}${most}: ${advice}.`);
}
