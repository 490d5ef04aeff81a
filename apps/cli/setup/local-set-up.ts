import type { Klaus } from '@klaus/sdk';
import type { Questions } from '../prompt/questions.ts';
import { askForModel, toChoices, type LocalChoice } from './local-model.ts';

type Place = Pick<Klaus, 'settings' | 'localServers'>;

/**
 * Looks for models on this machine, and asks which one to use.
 *
 * @returns The name of the model. Undefined: there is none, or none was chosen.
 */
export async function setUpLocalModel(questions: Questions, place: Place): Promise<string | undefined> {
  const choices = (await place.localServers.find()).flatMap(toChoices);
  if (choices.length === 0) {
    questions.warn(
      'Neither Ollama, llama.cpp, LM Studio nor vLLM serves a model at its usual port. Start one, then try again.',
    );
    return undefined;
  }
  const message = 'Send the texts of sessions to a model that was found?';
  const chosen = await askForModel(choices, { questions, message, none: 'no' });
  return chosen && (await useLocalModel(place, chosen));
}

/** Allows that texts of sessions go to the program, and makes the model that of new sessions. */
export async function useLocalModel(
  { settings, localServers }: Place,
  { model, server }: LocalChoice,
): Promise<string> {
  localServers.allow(server);
  await settings.write({ model });
  return model;
}
