import { createConversation, foldConversation, type Conversation } from '@klaus/core/conversation';
import type { Event } from '@klaus/core/protocol';

/** Latest events that are kept, and the number of events before older ones are dropped. */
const LATEST = 200;
const MAX = 2 * LATEST;

/** Milliseconds between the starts of two writes: a session whose log grows fast is stored once in this time. */
const SAVE_MS = 5_000;

const load = () => import('../offline/last-logs.ts');

/** The first event and the latest ones of a log, which this browser stores for a page without a connection. */
export function createKeptLog(session: string) {
  const events: Event[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  const save = (): void => {
    isDue = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isDue) save();
    }, SAVE_MS);
    void load().then(({ saveLog }) => saveLog(session, events));
  };
  return {
    add(event: Event): void {
      if (event.seq > (events.at(-1)?.seq ?? 0)) events.push(event);
      if (events.length > MAX) events.splice(1, events.length - LATEST);
    },
    /** Stores it now, or soon after the last time. */
    save(): void {
      if (events.length === 0) return;
      if (timer === undefined) save();
      else isDue = true;
    },
    /** Stores what a timer would store later. */
    close(): void {
      clearTimeout(timer);
      if (isDue) save();
      clearTimeout(timer);
    },
    remove(): void {
      events.length = 0;
      isDue = false;
      void load().then(({ removeLog }) => removeLog(session));
    },
    /** The fold of the stored events; undefined without any. */
    async read(): Promise<Conversation | undefined> {
      const saved = await (await load()).readSavedLog(session);
      const conversation = createConversation(session);
      for (const event of saved ?? []) foldConversation(conversation, event);
      return saved && conversation;
    },
  };
}
