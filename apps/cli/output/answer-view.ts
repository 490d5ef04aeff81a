import type { EventOf, Live } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import type { Screen } from './screen.ts';

/** The text of the model. The last message without calls is the answer. */
export function createAnswerView(screen: Screen) {
  const streamed = { message: '', text: '' };
  let answer = '';
  let isShown = false;
  let wasCut = false;
  const begin = () => {
    answer = '';
    isShown = false;
    wasCut = false;
  };
  return {
    begin,
    add({ message }: EventOf<'message.added'>) {
      if (message.origin === 'user' || message.origin === 'steer') begin();
      if (message.origin !== 'model') return;
      const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const wasStreamed = streamed.message === message.id && streamed.text === text;
      if (message.parts.some((part) => part.type === 'call')) {
        begin();
        if (wasStreamed) screen.settle();
        else if (text.trim() !== '') screen.line(toPrintable(text.trim()));
        return;
      }
      // A reply that was cut at its token limit continues in the next message, in the middle of a word.
      isShown = wasStreamed && screen.streamsAnswers && (!wasCut || isShown);
      answer = wasCut ? answer + text : text;
    },
    endTurn({ stopReason }: EventOf<'turn.finished'>) {
      wasCut = stopReason === 'max_tokens' || stopReason === 'pause_turn';
    },
    end() {
      if (answer !== '' && !isShown) screen.answer(answer);
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
