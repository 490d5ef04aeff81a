import { setTimeout as wait } from 'node:timers/promises';
import type { Check } from '../check.ts';
import { CheckFailed, need } from '../check-error.ts';
import { isLlamaCpp, STORY, type LiveServer } from '../live-server.ts';
import { readJson } from '../server-facts.ts';

/** Much longer than a next answer. */
const LONG_ANSWER = 2_048;
const POLLS = 50;
const POLL_MS = 100;

const cancel: Check = {
  name: 'cancel in mid-answer',
  async run(server) {
    const { facts } = server;
    const model = await server.open(isLlamaCpp(server) ? { body: { ignore_eos: true } } : {});
    const { end } = await server.ask(model, { text: STORY, maxOutputTokens: LONG_ANSWER, isEnough: () => true });
    need(end.type === 'failed' && end.failure.code === 'abandoned', 'The answer was not cancelled.');
    const freed = facts.slots === undefined ? '' : await untilFree(facts.slots, server);
    await server.finish(await server.open(), { text: 'Say OK.', maxOutputTokens: 16 });
    return `abandoned${freed}; the next request was answered`;
  },
};

async function untilFree(slots: string, { target: { key } }: LiveServer): Promise<string> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  for (let poll = 0; poll < POLLS; poll++) {
    const list = (await readJson(slots, headers)) as { is_processing?: boolean }[] | undefined;
    if (list?.every((slot) => !slot.is_processing)) return '; the slot is free';
    await wait(POLL_MS);
  }
  throw new CheckFailed(`The slot still works ${(POLLS * POLL_MS) / 1_000} s after the cancel.`);
}

export const CANCEL_CHECKS: readonly Check[] = [cancel];
