import type { EventBody } from '../../protocol/index.ts';
import type { ToolFinished } from '../calls/judged-call.ts';

/** The result of a call with what was found after it, and notices for the user. */
export interface AfterCall {
  finished: ToolFinished;
  notices: EventBody[];
}

/** What precedes a prompt in the history, or why it is not sent. */
export type Submitted = { bodies: EventBody[] } | { refused: string; notice: EventBody };
