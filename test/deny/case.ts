import type { ToolCall } from '../fixtures/play.ts';

/** The values that must not leak, by the file that holds them. */
export const CANARIES = {
  '.env': 'kQ7mZx92LpVt4RwY8sBn3HcD',
  'app/.env.production': 'w3Tn8JfKd5XyPq2GvZ6rMb9s',
  '.env.local': 'Hb4VzN7cRk2WtYx8QmFp5Ljd',
  id_rsa: 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmVDq8wRz5TnKfXy2LmPv7Jc',
  '.netrc': 'Zp6KxWq3MvTb9NfRy4GdLs8h',
  'config/prod.yaml': 'Xn5RdQw8KzFt3VmJb7YpHc2g',
  history: 'Gy8LtBq4WnPz6XkRv3MdJf7c',
} as const;

/** The folder a case works in, seen from the host. */
export interface Scene {
  workspace: string;
  /** Changes a file as its user does. */
  write: (path: string, content: string) => void;
  /** As an editor saves: a new file, renamed over the old one. */
  save: (path: string, content: string) => void;
  git: (...words: string[]) => void;
}

/** One way to read a secret. */
export interface DenyCase {
  name: string;
  /** What the model does: lines for `run_command`, or calls of other tools; between them what the user does. */
  calls: readonly (string | ToolCall | ((scene: Scene) => void))[];
  /** Makes the scene ready, before the session. */
  before?: (scene: Scene) => void;
  /** What the user does while a line waits for a file `go`, once it made a file `ready`. */
  during?: (scene: Scene) => void;
  /**
   * Two encodings on top of each other, or a piece of the value: no search can see it in a text. Held by the mask
   * and by the gate, not by redaction alone.
   */
  layered?: boolean;
  /** The secret becomes readable while the command runs, or is in git: only redaction protects it, not a mask. */
  unmasked?: boolean;
  /** The case cannot leak a secret even without protection; its messages are tested, such as error texts. */
  unproven?: boolean;
}

/** Cases that are one line for the shell. */
export function shell(lines: Readonly<Record<string, string>>, flags: Partial<DenyCase> = {}): DenyCase[] {
  return Object.entries(lines).map(([name, line]) => ({ name, calls: [line], ...flags }));
}
