import type { Effort, Mode, Part } from '@klaus/core/protocol';
import type { SendResult } from '../actions/attempt.ts';
import type { Stopping } from '../actions/use-stop.ts';
import type { Scope } from './mcp-prompts.ts';

export interface ComposerProps {
  draft: string;
  /** The session or folder whose files `@` completes. */
  scope: Scope;
  model: string;
  mode: Mode;
  /** Absent: that of the settings. */
  effort?: Effort;
  isRunning: boolean;
  isOnline: boolean;
  stopping: Stopping | undefined;
  /** A question is open; messages are read after its answer. */
  isAsked?: boolean;
  /** The field has the focus when it is shown. Default false. */
  isFocused?: boolean;
  /** Previous prompts for Arrow Up, the latest last. */
  history: readonly string[];
  onModel: (model: string) => void;
  onMode: (mode: Mode) => void;
  onEffort: (effort: Effort) => void;
  /** The draft is cleared only if the result is `accepted`. `command`: a ULID that is the same for repeated requests. */
  onSend: (parts: Part[], delivery: 'steer' | 'queue', command: string) => Promise<SendResult>;
  onStop: () => void;
}
