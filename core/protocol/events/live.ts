/**
 * What doors may show before it is durable: text on its way, keyed by message or call id and offset.
 * Has no `seq`, is in no chain, and is superseded by message.added or tool.finished.
 */
export type Live =
  | {
      type: 'message.delta';
      session: string;
      message: string;
      part: 'text' | 'thinking' | 'call';
      /** Characters of this part that came before. */
      offset: number;
      text: string;
    }
  | { type: 'message.discarded'; session: string; message: string }
  | {
      type: 'tool.progress';
      session: string;
      call: string;
      offset: number;
      text: string;
    };
