// Covers adapters/models/local, adapters/models/wire: requests of which a server gives the model only a part.
import type { Model, ModelEvent, ModelRequest, ToolSpec } from '../../core/agent/index.ts';
import type { ModelServerSettings, Part } from '../../core/protocol/index.ts';
import { expect, onTestFinished, test } from 'vitest';
import { createModels } from '../../adapters/models/index.ts';
import { toPromptBound } from '../../adapters/models/wire/prompt-bound.ts';
import { startLocalProgram, type LocalProgramOptions } from '../fixtures/local-program.ts';

/** Words of English, of which none is repeated at once. */
const WORDS =
  'the gate judges every action of a session before it has an effect and the log keeps what it decided '.split(' ');
const toProse = (bytes: number): string => {
  let text = '';
  for (let word = 0; text.length < bytes; word++) text += `${WORDS[(word * 7) % WORDS.length]}${word % 10} `;
  return text;
};
const TOOLS: ToolSpec[] = Array.from({ length: 12 }, (_, index) => ({
  name: `tool_${index}`,
  description: toProse(300),
  inputSchema: { type: 'object', properties: { path: { type: 'string', description: toProse(100) } } },
  effects: ['read'],
}));

/** @param tokens Of the prompt, as the usage of the answer reports them. */
async function open(
  tokens: number,
  options: Partial<LocalProgramOptions>,
  settings: Partial<ModelServerSettings> = {},
) {
  const script = `steps: []\nfallback: { text: done, usage: { input: ${tokens}, output: 2, cacheRead: 0, cacheWrite: 0 } }\n`;
  const program = await startLocalProgram({ family: 'llamacpp', script, ...options });
  onTestFinished(() => program[Symbol.asyncDispose]());
  const notices: string[] = [];
  const family = options.family ?? 'llamacpp';
  const servers = { own: { baseUrl: `${program.origin}/v1`, wire: 'chat' as const, family, ...settings } };
  const models = createModels({ keys: {}, servers, env: {}, onNotice: (text) => notices.push(text) });
  return { program, notices, model: await models.resolve('own/m') };
}

async function ask(model: Model, text: string, more: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const messages = [
    { id: 'M1', role: 'user' as const, origin: 'user' as const, parts: [{ type: 'text' as const, text }] },
  ];
  const request = { system: 'You are a test.', tools: [], messages, maxOutputTokens: 100, session: 'S', ...more };
  return Array.fromAsync(model.stream(request, { signal: new AbortController().signal }));
}

const CUT = { type: 'failed', failure: { code: 'invalid_request', cause: 'prompt_cut' } };

test.each<[name: string, tokens: number, options: Partial<LocalProgramOptions>]>([
  ['llama.cpp counts more tokens itself', 2_000, { family: 'llamacpp' }],
  ['vLLM counts more tokens itself', 2_000, { family: 'vllm' }],
  ['Ollama has loaded a window that is too small', 2_000, { family: 'ollama', window: 4_096 }],
  ['LM Studio has loaded a window that is too small', 2_000, { family: 'lmstudio', window: 4_096 }],
  // The usage is replaced by an estimate, as it is impossible.
  ['nearly nothing was counted', 300, { family: 'ollama', window: 4_096 }],
])('a cut prompt is confirmed and charged: %s', async (_, tokens, options) => {
  const { model, notices } = await open(tokens, options);
  notices.length = 0;
  const events = await ask(model, toProse(40_000));
  expect(events.at(-1)).toMatchObject(CUT);
  expect(events.at(-2)).toMatchObject({ type: 'usage', isFinal: true, usage: { output: 2 } });
  expect(notices).toEqual([]);
});

test('tools that the template drops are confirmed: with and without them, the prompt has the same tokens', async () => {
  const countTokens = (text: string): number => (text.includes('"tools"') ? 320 : 320);
  const { model } = await open(320, { family: 'vllm', countTokens });
  expect((await ask(model, toProse(800), { tools: TOOLS })).at(-1)).toMatchObject(CUT);
});

test.each<[name: string, options: Partial<LocalProgramOptions>, settings: Partial<ModelServerSettings>]>([
  ['Ollama has a larger window', { family: 'ollama', window: 65_536 }, {}],
  ['another server cannot be asked', {}, { family: 'litellm' }],
])('a suspicion that is not confirmed is noticed once: %s', async (_, options, settings) => {
  const { model, notices } = await open(2_000, options, settings);
  for (let turn = 0; turn < 3; turn++)
    expect((await ask(model, toProse(40_000))).at(-1)).toMatchObject({ type: 'finished' });
  expect(notices).toHaveLength(1);
});

test('a server that counts as it says is believed', async () => {
  const { model, notices } = await open(2_000, { family: 'vllm', countTokens: () => 2_010 });
  expect((await ask(model, toProse(40_000))).at(-1)).toMatchObject({ type: 'finished' });
  expect(notices).toEqual([]);
});

const PICTURE: Part = { type: 'image', mediaType: 'image/png', data: 'iVBOR'.repeat(20_000) };

/** Tokens as current tokenizers with a large vocabulary count these texts, at least. */
test.each<[name: string, text: string, tokens: number]>([
  ['English, 5 characters each', toProse(30_000), 6_000],
  ['Chinese, 2 characters each', '网关在会话的每个动作产生效果之前对其进行判断并记录决定'.repeat(400), 5_400],
  ['Japanese', 'ゲートはセッションのすべてのアクションを判断する'.repeat(400), 4_600],
  ['Korean, 2 syllables each', '게이트는 세션의 모든 동작을 판단하고 기록합니다 '.repeat(400), 3_600],
  ['Thai, 4 letters each', 'เกตตัดสินทุกการกระทำของเซสชันก่อนที่จะมีผล'.repeat(300), 3_150],
  ['Hindi, 5 letters each', 'गेट सत्र की हर क्रिया का निर्णय उसके प्रभाव से पहले करता है '.repeat(300), 3_600],
  ['Russian, 5 letters each', 'Шлюз оценивает каждое действие сеанса до его выполнения '.repeat(300), 3_360],
  ['white space, 80 each', ' '.repeat(60_000) + '\n'.repeat(60_000), 1_500],
  ['a ruler, 16 each', '='.repeat(60_000), 3_750],
  ['indented code', `${' '.repeat(24)}return value;\n`.repeat(1_000), 4_000],
  ['emoji, one each', '🙂🚀🎉'.repeat(2_000), 6_000],
])('no notice for %s', async (_, text, tokens) => {
  const { model, notices } = await open(tokens, {}, { family: 'litellm' });
  expect((await ask(model, text)).at(-1)).toMatchObject({ type: 'finished' });
  expect(notices).toEqual([]);
});

test('an image has no text', async () => {
  const { model, notices } = await open(300, {}, { family: 'litellm', images: true });
  const messages = [{ id: 'M1', role: 'user' as const, origin: 'user' as const, parts: [PICTURE] }];
  expect((await ask(model, '', { messages })).at(-1)).toMatchObject({ type: 'finished' });
  expect(notices).toEqual([]);
  expect(toPromptBound({ system: '', tools: [], messages, maxOutputTokens: 1, session: 'S' })).toEqual({
    text: 0,
    tools: 0,
  });
});
