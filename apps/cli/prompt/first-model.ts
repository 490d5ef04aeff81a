import type { Klaus } from '@klaus/sdk';
import { type Options, toGivenServer } from '../program/options.ts';
import { openKlaus } from '../client/open-klaus.ts';
import { askForModel, toChoices } from './local-model.ts';
import { openQuestions } from './open-questions.ts';
import type { Questions } from './questions.ts';

/**
 * At a start in a terminal without any key, server or model: offers the models of programs on this machine. The chosen one
 * becomes the model of the user's settings.
 */
export async function offerFirstModel(options: Options): Promise<void> {
  const { model, cwd } = options;
  if (model !== undefined || toGivenServer(options) !== undefined) return;
  const { openLocalServers } = await import('@klaus/sdk');
  if (!(await openLocalServers({ ...(cwd !== undefined && { cwd }) }).isNeeded())) return;
  await using klaus = await openKlaus();
  await offerLocalModel(klaus, () => openQuestions('Models'));
}

/**
 * Asks which of the models on this machine to use. Nothing is asked if there are none.
 *
 * @returns The name of the model, which is written to the user's settings. Undefined: none was chosen.
 */
export async function offerLocalModel(
  { home, settings }: Pick<Klaus, 'home' | 'settings'>,
  open: () => Promise<Questions>,
): Promise<string | undefined> {
  const { openLocalServers } = await import('@klaus/sdk');
  const local = openLocalServers({ home });
  const choices = (await local.find()).flatMap(toChoices);
  if (choices.length === 0) return undefined;
  using questions = await open();
  const message = 'Send the texts of sessions to a model that was found?';
  const chosen = await askForModel(choices, { questions, message, none: 'no' });
  if (chosen === undefined) return undefined;
  local.allow(chosen.server);
  await settings.write({ model: chosen.model });
  return chosen.model;
}
