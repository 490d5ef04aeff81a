import type { PartialHandlers } from '../../http/handler.ts';
import { Refusal } from '../../http/problem.ts';
import { sendRequiredPrompt } from '../../runs/send-prompt.ts';

export const demoHandlers = {
  async startDemo(_given, { klaus, queue, prepareDemo }) {
    if (prepareDemo === undefined) {
      throw new Refusal(409, 'unavailable', {
        title: 'This server has no demo.',
        detail: 'Run `klaus demo` in a terminal.',
      });
    }
    const { workspace, model, prompt } = await prepareDemo();
    const session = await klaus.open({ workspace, model, mode: 'auto' });
    await sendRequiredPrompt(klaus, session, { text: prompt });
    await queue.add(session.id);
    return { session: session.id };
  },
} satisfies PartialHandlers;
