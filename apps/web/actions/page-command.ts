import type { Role } from '@klaus/server/contract';
import type { Text } from '../text/en.ts';

/** An action that is available by a key, in the palette or both. */
export interface PageCommand {
  id: string;
  /** In the notation of `matchKeys`, such as `mod+k` or `g u`. */
  keys?: string;
  /** The name of the command after `/` in the composer, if it has one. */
  slash?: keyof Text['slash'];
  /** Further names, which the terminal has for the same. */
  aliases?: readonly (keyof Text['slash'])[];
  title: (t: Text) => string;
  /**
   * Where the command is available: in a session, in one with an open question, where a file, the changes or the
   * conversation without its search are shown.
   * Default everywhere.
   */
  in?: 'session' | 'question' | 'file' | 'changes' | 'conversation';
  /** The role without which it is not offered. */
  needs?: Role;
  run: () => void;
}
