import type { Check } from '../check.ts';
import { CheckSkipped, need } from '../check-error.ts';
import { describe, isLlamaCpp, type LiveServer } from '../live-server.ts';

const NO_PROGRAM = 'The server is no program that says how it serves its model.';

const readFacts: Check = {
  name: 'the window that the server has',
  async run(server) {
    if (!isLlamaCpp(server)) throw new CheckSkipped(NO_PROGRAM);
    const { info } = await server.open({ family: 'llamacpp' });
    const { contextWindow } = server.facts;
    need(info.contextWindow === contextWindow, `${info.contextWindow} tokens, and the server says ${contextWindow}.`);
    return `${info.contextWindow} tokens, ${info.images ? 'with' : 'without'} images`;
  },
};

/** More tools than the lower bound of a prompt needs. */
const TOOLS = Array.from({ length: 20 }, (_, index) => ({
  name: `read_value_${index}`,
  description: 'Returns the value of a key that is stored for this session, or an empty text if there is none.',
  inputSchema: {
    type: 'object',
    properties: { key: { type: 'string', description: 'Name of the key, in lower case, without white space.' } },
    required: ['key'],
  },
  effects: ['read' as const],
}));

const droppedTools: Check = {
  name: 'tools that the template drops',
  async run(server) {
    if (!isLlamaCpp(server)) throw new CheckSkipped(NO_PROGRAM);
    if (server.facts.hasTools !== false) throw new CheckSkipped('The chat template has tools.');
    // Known before the request, and found after it if the user says that there are tools.
    const before = await ask(server, undefined);
    const after = await ask(server, true);
    return `stopped before the request: ${before}; after it: ${after}`;
  },
};

async function ask(server: LiveServer, tools: boolean | undefined): Promise<string> {
  const model = await server.open({ family: 'llamacpp', tools });
  const { end } = await server.ask(model, { text: 'Say hello.', tools: TOOLS, maxOutputTokens: 16 });
  need(end.type === 'failed', 'The answer is accepted, although the model did not get the tools.');
  need(end.failure.cause === 'prompt_cut', describe(end.failure));
  return end.failure.cause;
}

export const LOCAL_CHECKS: readonly Check[] = [readFacts, droppedTools];
