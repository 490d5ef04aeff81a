import type { Command, Part } from '@klaus/core/protocol';

/** A message in the inbox that no run has taken yet. */
export interface QueuedMessage {
  /** Id of the command. */
  command: string;
  /** `steer` waits for the next request to the model, `queue` for the end of the run. */
  delivery: 'steer' | 'queue';
  parts: Part[];
}

/** The queued messages of an inbox, the oldest first, without withdrawn ones. */
export function toQueuedMessages(commands: readonly Command[]): QueuedMessage[] {
  const withdrawn = new Set(commands.flatMap((command) => (command.type === 'withdraw' ? [command.command] : [])));
  return commands.flatMap((command) =>
    command.type === 'prompt' && !withdrawn.has(command.id)
      ? [{ command: command.id, delivery: command.delivery, parts: command.parts }]
      : [],
  );
}
