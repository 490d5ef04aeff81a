import type { Klaus } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../client/open-klaus.ts';
import { type Options, toGivenServer } from '../program/options.ts';
import { CliError } from '../program/cli-error.ts';
import { openQuestions } from '../prompt/open-questions.ts';
import type { Choice, Questions } from '../prompt/questions.ts';
import { chooseProvider, type ModelWay } from './key-prompt.ts';
import { setUpKey, toLines } from './key-set-up.ts';
import { toChoices, type LocalChoice } from './local-model.ts';
import { setUpLocalModel, useLocalModel } from './local-set-up.ts';
import { setUpServer } from './server-set-up.ts';

/** `local-N`: one of the models that were found. */
type Way = ModelWay | `local-${number}` | 'claude' | 'demo' | 'later';

/** Most models on this machine that the first question offers. */
const MAX_LOCAL = 3;

/** What the user chose. `ready`: a model is set up. `claude`: Claude Code works in place of Klaus. */
export type SetUp = 'ready' | 'claude' | 'later';

/**
 * At a start in a terminal without any key, server or model: asks how sessions reach a model, until one is set up or the
 * user wants none now.
 *
 * @param showDemo Shows the demo. The questions are asked again after it.
 */
export async function setUpIfNeeded(options: Options, showDemo: () => Promise<unknown>): Promise<SetUp> {
  const { model, cwd } = options;
  if (model !== undefined || toGivenServer(options) !== undefined) return 'ready';
  const { openLocalServers } = await import('@klaus/sdk');
  if (!(await openLocalServers({ ...(cwd !== undefined && { cwd }) }).isNeeded())) return 'ready';
  await using klaus = await openKlaus();
  for (;;) {
    const chosen = await askForWay(klaus, { isStart: true });
    if (chosen !== 'demo') return chosen;
    await showDemo();
  }
}

/**
 * Sets up a way to a model that the user has chosen.
 *
 * @returns What was done, for the user. Undefined: the user cancelled.
 */
export async function setUpWay(questions: Questions, klaus: Klaus, way: ModelWay): Promise<string[] | undefined> {
  if (way === 'server') return describeModel(await setUpServer(questions, klaus.modelServers));
  if (way === 'local') return describeModel(await setUpLocalModel(questions, klaus));
  const provider = await chooseProvider(questions, 'Provider', await klaus.keys.list());
  return provider && toLines(await setUpKey(questions, { keys: klaus.keys, provider, check: true }));
}

/**
 * Asks how sessions reach a model, until one is set up or the user wants none now.
 *
 * @param options.isStart True: other programs that can start in place of Klaus are offered too.
 * @throws CliError `cancelled` at a start.
 */
export async function askForWay(klaus: Klaus, { isStart }: { isStart: boolean }): Promise<SetUp | 'demo'> {
  using questions = await openQuestions('Klaus needs a model');
  const found = (await klaus.localServers.find()).flatMap(toChoices);
  const ways = toWays(found, { hasClaude: isStart && (await hasClaude(klaus)), isStart });
  for (;;) {
    const way = await questions.select('How should it reach one?', ways);
    if (way === 'demo' || way === 'claude') {
      questions.end({ title: way === 'demo' ? 'The demo starts' : 'Claude Code starts' });
      return way;
    }
    if (way === undefined && isStart) {
      questions.cancel('Nothing was started.');
      throw new CliError('cancelled', 'No model was chosen.', { hint: 'klaus login sets one up.' });
    }
    if (way === undefined || way === 'later') {
      questions.end({ title: 'Later', next: '/login in the chat sets up a model at any time' });
      return 'later';
    }
    const local = found[Number(/^local-(\d+)$/.exec(way)?.[1])];
    const done = local
      ? describeModel(await useLocalModel(klaus, local))
      : await setUpWay(questions, klaus, way as ModelWay);
    if (done === undefined) continue;
    questions.end({ title: 'Model', lines: done, next: 'Klaus starts' });
    return 'ready';
  }
}

/** @param found Models on this machine. */
function toWays(
  found: readonly LocalChoice[],
  { hasClaude, isStart }: { hasClaude: boolean; isStart: boolean },
): Choice<Way>[] {
  const ways: (Choice<Way> | false)[] = [
    ...found.slice(0, MAX_LOCAL).map(({ model, server }, at) => ({
      value: `local-${at}` as const,
      label: `${toLine(model, 200)}, on this machine`,
      hint: `texts of sessions go to ${toLine(server.text, 500)}`,
    })),
    found.length > MAX_LOCAL && { value: 'local', label: 'Another model on this machine' },
    { value: 'key', label: 'The key of a provider', hint: 'it is tested before it is stored' },
    { value: 'server', label: 'A server by its base URL', hint: 'vLLM, LiteLLM, a proxy of your company' },
    hasClaude && { value: 'claude', label: 'Claude Code, with its own login', hint: 'as klaus claude' },
    isStart && { value: 'demo', label: 'Show the demo first', hint: 'a scripted model fixes a small project' },
    { value: 'later', label: 'No model now', hint: '/login sets one up later' },
  ];
  return ways.filter((way) => way !== false);
}

async function hasClaude({ configuration }: Klaus): Promise<boolean> {
  const { findClaude } = await import('@klaus/sdk');
  try {
    findClaude(configuration.get('claudeBinary') ?? 'claude', process.env);
    return true;
  } catch {
    return false;
  }
}

function describeModel(model: string | undefined): string[] | undefined {
  return model === undefined ? undefined : [`The model of new sessions is ${toPrintable(model)}.`];
}
