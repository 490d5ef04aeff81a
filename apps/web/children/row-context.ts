import { createContext, type ComponentType } from 'react';
import type { Conversation } from '@klaus/core/conversation';
import type { Row } from '../conversation/rows.ts';

export interface RowViewProps {
  row: Row;
  conversation: Conversation;
  /** Seq of the conversation, which is changed in place. */
  version: number;
  /** Output of a running call. */
  progress: string | undefined;
  /** True for the row of the event in the address. */
  isMarked: boolean;
}

/** Renders a row of a conversation. A row may contain the conversation of an agent, and so further rows. */
export const RowContext = createContext<ComponentType<RowViewProps>>(() => null);
