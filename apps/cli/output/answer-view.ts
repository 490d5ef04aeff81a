import type { EventOf, Live } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { createFinalAnswer, toMessageText } from './final-answer.ts';
import type { Screen } from './screen.ts';

/** The text of the model. The last message without calls is the answer. */
export function createAnswerView(screen: Screen) {
  const streamed = { message: '', text: '' };
  const answer = createFinalAnswer();
  let isShown = false;
  const begin = () => {
    answer.begin();
    isShown = false;
  };
  return {
    begin,
    add(event: EventOf<'message.added'>) {
      const { message } = event;
      if (message.origin === 'user' || message.origin === 'steer') begin();
      if (message.origin !== 'model') return;
      const text = toMessageText(event);
      const wasStreamed = streamed.message === message.id && streamed.text === text;
      const { isCut } = answer;
      answer.add(event);
      if (message.parts.some((part) => part.type === 'call')) {
        isShown = false;
        if (wasStreamed) screen.settle();
        else if (text.trim() !== '') screen.line(toPrintable(text.trim()));
        return;
      }
      isShown = wasStreamed && screen.streamsAnswers && (!isCut || isShown);
    },
    endTurn: (event: EventOf<'turn.finished'>) => answer.add(event),
    end() {
      if (answer.text !== '' && !isShown) screen.answer(answer.text);
      screen.settle();
      begin();
    },
    live(live: Exclude<Live, { type: 'tool.progress' }>) {
      if (live.type === 'message.discarded') {
        if (live.message !== streamed.message || streamed.text === '') return;
        streamed.message = '';
        streamed.text = '';
        screen.line(`${screen.mark('warn')}the reply was interrupted`);
      } else if (live.part === 'text') {
        if (live.message !== streamed.message) {
          screen.settle();
          streamed.message = live.message;
          streamed.text = '';
        }
        streamed.text += live.text;
        screen.stream(live.text);
      }
    },
  };
}
