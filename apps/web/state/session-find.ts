import { createStore } from './store.ts';

/** True while the search within the conversation is open. The browser's own search then has its key again. */
export const isFinding = createStore(false);
