import type { Check } from '../check.ts';
import { need } from '../check-error.ts';
import { COUNTING, isLlamaCpp, STORY } from '../live-server.ts';

/** Tokens; some services accept no smaller limit. */
const FEW = 16;
const SAMPLE = 'Grüße aus Köln, 日本語, 🙂';
/** A grammar of llama.cpp: the answer begins with the sample. */
const GRAMMAR = `root ::= "${SAMPLE}" [^\\n]*`;

const streaming: Check = {
  name: 'streaming',
  async run(server) {
    const { end, deltas, reads, readsAtFirst } = await server.first();
    need(deltas.length > 0, 'The answer has no text. A model that reasons may need a higher `--max-output`.');
    need(readsAtFirst < reads, `The first text came with the last bytes (${reads} reads).`);
    const text = end.parts.flatMap((part) => (part.type === 'text' || part.type === 'thinking' ? [part.text] : []));
    need(deltas.join('') === text.join(''), 'The pieces are not the answer.');
    return `${deltas.length} pieces in ${reads} reads, the first text in read ${readsAtFirst}`;
  },
};

const usage: Check = {
  name: 'usage',
  async run(server) {
    const { end } = await server.first();
    const { input, output, cacheRead, cacheWrite } = end.usage;
    const prompt = input + cacheRead + cacheWrite;
    need(!end.isEstimated, 'The server reported no usage, or an impossible one.');
    need(prompt >= 5 && prompt <= 5_000, `A prompt of ${COUNTING.length} characters counts as ${prompt} tokens.`);
    need(output > 0 && output <= server.target.maxOutputTokens, `The answer counts as ${output} tokens.`);
    return `${prompt} tokens of the prompt, ${output} of the answer`;
  },
};

const cutAnswer: Check = {
  name: 'a cut answer',
  async run(server) {
    const model = await server.open(isLlamaCpp(server) ? { body: { ignore_eos: true } } : {});
    const { end } = await server.finish(model, { text: STORY, maxOutputTokens: FEW });
    need(end.stopReason === 'max_tokens', `The stop reason is ${end.stopReason}.`);
    need(end.usage.output <= FEW, `${end.usage.output} tokens were counted, ${FEW} requested.`);
    return `max_tokens after ${end.usage.output} tokens`;
  },
};

const unicode: Check = {
  name: 'text that is not ASCII',
  async run(server) {
    const model = await server.open(isLlamaCpp(server) ? { body: { grammar: GRAMMAR } } : {});
    const { deltas, end } = await server.finish(model, { text: `Repeat exactly: ${SAMPLE}` });
    const text = deltas.join('');
    need(
      [...deltas, text].every((part) => part.isWellFormed()),
      'A piece of text is not valid Unicode.',
    );
    need(!text.includes('\uFFFD'), `A character was destroyed: ${JSON.stringify(text)}`);
    need(
      end.parts.every((part) => part.type !== 'text' || text.includes(part.text)),
      'The pieces are not the answer.',
    );
    if (text.includes(SAMPLE)) return `“${SAMPLE}” arrived in ${deltas.length} pieces`;
    const others = text.match(/[^\u0000-\u007F]/gu)?.length ?? 0;
    return `accepted; the answer has ${others} characters that are not ASCII`;
  },
};

export const ANSWER_CHECKS: readonly Check[] = [streaming, usage, cutAnswer, unicode];
