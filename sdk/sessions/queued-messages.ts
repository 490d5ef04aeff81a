import type { Command, Part } from '@klaus/core/protocol';

/** A message, or a shell command of the user, in the inbox that no run has taken yet. */
export interface QueuedMessage {
  /** Id of the command. */
  command: string;
  /** `steer` waits for the next request to the model, `queue` for the end of the run. A shell command has `queue`. */
  delivery: 'steer' | 'queue';
  /** Empty for a shell command. */
  parts: Part[];
  /** Shell command of the user, which runs in the sandbox. Absent for a message. */
  shell?: string;
}

/** The queued messages and shell commands of an inbox, the oldest first, without withdrawn ones. */
export function toQueuedMessages(commands: readonly Command[]): QueuedMessage[] {
  const withdrawn = new Set(commands.flatMap((command) => (command.type === 'withdraw' ? [command.command] : [])));
  return commands.flatMap((command): QueuedMessage[] => {
    const { id } = command;
    if (withdrawn.has(id)) return [];
    if (command.type === 'shell') return [{ command: id, delivery: 'queue', parts: [], shell: command.command }];
    return command.type === 'prompt' ? [{ command: id, delivery: command.delivery, parts: command.parts }] : [];
  });
}
