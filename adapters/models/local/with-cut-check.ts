import type { Model, ModelEvent, ModelRequest } from '@klaus/core/agent';
import { toPlainMessages, toPromptBound } from '../wire/prompt-bound.ts';
import type { Served } from './read-served.ts';

export interface CutCheckOptions {
  /** The server's id of the model. */
  id: string;
  /** The program that is asked about a suspicion. Undefined: no server can be asked. */
  served?: Served;
  onNotice?: (text: string) => void;
}

type Finished = Extract<ModelEvent, { type: 'finished' }>;
/** What the server did not give the model. */
type Missing = 'messages' | 'tools';

/** Tokens of a request below which nothing is compared. */
const LEAST = 256;
/** Tokens that one way to write a prompt can have more than another one. */
const MARGIN = 64;
const FACTOR = 1.1;

/**
 * Compares the tokens that the server counted in each prompt with those that it has at least. A server that cut a prompt,
 * or dropped the tools, answers as if nothing was wrong. If it confirms that, the request fails with the cause
 * `prompt_cut`; if it cannot be asked, a notice is shown once.
 */
export function withCutCheck(model: Model, options: CutCheckOptions): Model {
  let isNoticed = false;
  return {
    ...model,
    async *stream(request, stream) {
      for await (const event of model.stream(request, stream)) {
        const missing = event.type === 'finished' ? findMissing(request, event) : undefined;
        if (event.type !== 'finished' || missing === undefined) {
          yield event;
          continue;
        }
        const found = await judge(request, event, { ...options, missing });
        if (found.isConfirmed) {
          const { usage, usd } = event;
          yield { type: 'usage', usage, isFinal: true, ...(usd !== undefined && { usd }) };
          const message = `${model.name} did not get the complete request. ${found.text}`;
          return yield { type: 'failed', failure: { code: 'invalid_request', cause: 'prompt_cut', message } };
        }
        if (found.text !== '' && !isNoticed) {
          isNoticed = true;
          options.onNotice?.(`${model.name} may not get complete requests. ${found.text}`);
        }
        yield event;
      }
    },
  };
}

function findMissing(request: ModelRequest, event: Finished): Missing | undefined {
  const counted = countedPrompt(event);
  const { text, tools } = toPromptBound(request);
  if (counted === undefined || text + tools < LEAST) return undefined;
  if (counted < text) return 'messages';
  return counted < text + tools ? 'tools' : undefined;
}

/** Of all cache classes. Undefined: the server has counted none. */
function countedPrompt({ usage, isEstimated = false, reportedPrompt }: Finished): number | undefined {
  return isEstimated ? reportedPrompt : usage.input + usage.cacheRead + usage.cacheWrite;
}

interface Judged {
  isConfirmed: boolean;
  /** '' if the server counted right. */
  text: string;
}

async function judge(
  request: ModelRequest,
  event: Finished,
  { id, served, missing }: CutCheckOptions & { missing: Missing },
): Promise<Judged> {
  const counted = countedPrompt(event) ?? 0;
  const least = toPromptBound(request);
  const words =
    missing === 'messages'
      ? `The server counted ${counted} tokens of a prompt that has at least ${least.text}.`
      : `The server counted ${counted} tokens of a prompt with tools that has at least ${least.text + least.tools}.`;
  const generic = `${words} A server that cuts prompts needs a larger context window, and tools need a chat template that has them.`;
  if (!served) return { isConfirmed: false, text: generic };
  const { program, ask } = served;
  const facts = await program.readFacts(ask, id);
  const window = facts.contextWindow ?? served.facts.contextWindow ?? Infinity;
  const enlarge = program.enlarge(id, toLargerWindow(least.text + least.tools, facts.largestWindow));
  const noTools = { isConfirmed: true, text: `${words} The tools are missing. ${program.toolsFix}` };
  const cut = {
    isConfirmed: true,
    text: `${words} Its beginning is missing. Load the model with a larger window: ${enlarge}.`,
  };
  if (missing === 'tools' && facts.tools === false) return noTools;
  if (missing === 'messages' && least.text > window) return cut;
  const all = await countTokens(request, { id, served });
  if (all === undefined) return { isConfirmed: false, text: `${words} Try a larger window: ${enlarge}.` };
  const isMore = (tokens: number, than: number): boolean => tokens > than * FACTOR + MARGIN;
  if (missing === 'tools') {
    const bare = await countTokens({ ...request, tools: [] }, { id, served });
    if (bare !== undefined && all <= bare + request.tools.length) return noTools;
  }
  return isMore(all, counted) ? cut : { isConfirmed: false, text: '' };
}

function toLargerWindow(tokens: number, largest = Infinity): number {
  return Math.min(largest, Math.max(32_768, 2 ** Math.ceil(Math.log2(tokens * 4))));
}

async function countTokens(
  request: ModelRequest,
  { id, served }: { id: string; served: Served },
): Promise<number | undefined> {
  const tools = request.tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
  const prompt = { model: id, messages: toPlainMessages(request), ...(tools.length > 0 && { tools }) };
  return served.program.countTokens?.(served.ask, prompt);
}
