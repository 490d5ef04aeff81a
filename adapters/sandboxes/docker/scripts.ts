import { COUNT_LINES } from '../container/scripts.ts';

/**
 * The main process of a container. It has another user than the commands, so that they can neither signal nor read it.
 * For each line of its input it prints the number of processes, of mounts, and of temporary files and System V objects. It
 * ends with its input, and the container with it. Only builtins: no process starts.
 */
export const HOLDER_SCRIPT = `
while read -r _; do
${COUNT_LINES}
  echo "$processes $mounts $files"
done`;

/** Sends SIGTERM to all processes of the user in a container. */
export const TERMINATE_SCRIPT = 'kill -TERM -1';
