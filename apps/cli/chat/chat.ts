import type { ChatState, SessionClient } from '@klaus/sdk/client';

/** A chat, as its commands see it. */
export interface Chat {
  readonly client: SessionClient;
  /** Prints a text of untrusted parts on standard output, or with `--json` on standard error. */
  print(text: string): void;
  /** Id of the session, which is opened if there is none. */
  session(): Promise<string>;
  state(): Promise<ChatState>;
  /** Continues in another session. @param session Undefined: a new one. */
  begin(session: string | undefined): void;
  /** Changes the model of this session and of those that this chat opens. */
  changeModel(model: string): Promise<void>;
  quit(): void;
}
