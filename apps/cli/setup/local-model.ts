import type { LocalServer } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { err } from '../output/sink.ts';
import { CliError } from '../program/cli-error.ts';
import { type Options, toGivenServer } from '../program/options.ts';
import { confirm, hasKeyboard } from '../prompt/keyboard.ts';
import { openQuestions } from '../prompt/open-questions.ts';

/** A model that was found, and its program. */
export interface LocalChoice {
  model: string;
  server: LocalServer;
}

/**
 * The options with the model that `--model local` means, after the user has allowed its program. Programs on this machine
 * are looked for only if the model is named by one.
 *
 * @throws CliError `config` if there are several models and no terminal, `cancelled` for a user who allows nothing.
 */
export async function withLocalModel<T extends Options>(options: T): Promise<T> {
  const { model, cwd, yes } = options;
  if (model === undefined || toGivenServer(options) !== undefined || !/^local$|\//.test(model)) return options;
  const { openLocalServers } = await import('@klaus/sdk');
  const local = openLocalServers({ ...(cwd !== undefined && { cwd }) });
  const found = (await local.find(model)).flatMap(toChoices);
  const fitting = model === 'local' ? found : found.filter((each) => isCalled(each.model, model));
  // Without one, the engine says what is missing.
  if (fitting.length === 0) return options;
  const chosen = fitting.length === 1 ? fitting[0] : await choose(fitting);
  if (chosen === undefined) throw cancelled();
  const { server } = chosen;
  if (!server.isAllowed) {
    // In a script, the engine refuses it, with the command that allows it.
    if (yes !== true && !hasKeyboard()) return { ...options, model: chosen.model };
    if (yes !== true && !(await confirm(toQuestion(server), ''))) throw cancelled();
    local.allow(server);
    err.write(`klaus: ${toLine(server.text, 500)} may be used from now on.\n`);
  }
  return { ...options, model: model === 'local' ? chosen.model : model };
}

/** The choices of a question about a model, with their programs. */
export function toChoices(server: LocalServer): LocalChoice[] {
  return server.models.map((model) => ({ model, server }));
}

/** Asks for one of several models. Undefined: the user cancelled. @throws CliError `config` without a terminal. */
async function choose(choices: readonly LocalChoice[]): Promise<LocalChoice | undefined> {
  if (!hasKeyboard()) {
    const commands = choices.slice(0, 10).map(({ model }) => `klaus -m ${toLine(model, 200)}`);
    throw new CliError('config', `There are ${choices.length} local models.`, {
      hint: `Choose one: ${commands.join(', or ')}`,
    });
  }
  using questions = await openQuestions('Local models');
  return await askForModel(choices, { questions, message: 'Which model?' });
}

/** @param options.none The label of a last choice: no model. Default: there is none. */
export async function askForModel(
  choices: readonly LocalChoice[],
  {
    questions,
    message,
    none,
  }: { questions: Awaited<ReturnType<typeof openQuestions>>; message: string; none?: string },
): Promise<LocalChoice | undefined> {
  const rows = choices.map(({ model, server }) => ({
    value: model,
    label: toLine(model, 200),
    hint: toLine(server.text, 500),
  }));
  const last = none === undefined ? [] : [{ value: '', label: none }];
  const answer = await questions.select(message, [...rows, ...last]);
  return choices.find(({ model }) => model === answer);
}

function toQuestion({ text }: LocalServer): string {
  return `Send the texts of sessions to ${toLine(text, 500)}?`;
}

/** In Ollama, a name without a tag means the tag `latest`. */
function isCalled(model: string, given: string): boolean {
  return model === given || model === `${given}:latest`;
}

function cancelled(): CliError {
  return new CliError('cancelled', 'No model was chosen.', { hint: 'Nothing was sent.' });
}
