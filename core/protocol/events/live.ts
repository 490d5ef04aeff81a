/**
 * In-flight text that doors may show before it is durable, identified by message or call id and offset. It has no `seq`,
 * is in no chain, and is replaced by message.added or tool.finished.
 */
export type Live =
  | {
      type: 'message.delta';
      session: string;
      message: string;
      part: 'text' | 'thinking' | 'call';
      /** Number of characters of this part before `text`. */
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
