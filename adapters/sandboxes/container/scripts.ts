import { receiveScript } from '../process/prelude.ts';

/** Places in a container where a command can leave files that the next one would see. */
const TEMPORARY = ['/tmp', '/dev/shm', '/dev/mqueue'];

/** Their entries, also those whose names begin with a dot. Patterns without a match stay as they are. */
const ENTRIES = TEMPORARY.flatMap((folder) => [`${folder}/*`, `${folder}/.[!.]*`, `${folder}/..?*`]).join(' ');

/** Shell lines that set `$processes`, `$mounts` and `$files` to what the container has of them. Only builtins. */
export const COUNT_LINES = `  set -- /proc/[0-9]*
  processes=$#
  mounts=0
  while read -r _; do mounts=$((mounts + 1)); done </proc/self/mountinfo
  files=0
  for path in ${ENTRIES}; do
    if [ -e "$path" ] || [ -L "$path" ]; then files=$((files + 1)); fi
  done
  for table in /proc/sysvipc/msg /proc/sysvipc/sem /proc/sysvipc/shm; do
    if [ -r "$table" ]; then while read -r _; do files=$((files + 1)); done <"$table"; fi
  done`;

/**
 * Waits for "go" and a script (see `receiveScript`) on standard input, runs the script and ends all of its processes. The
 * rest of the input belongs to the script. `kill -1` spares the shell itself. Messages of the shell about the end of the
 * command are not output of the command.
 */
export const COMMAND_SCRIPT = [
  'trap : TERM INT HUP',
  'read -r go || exit 125',
  '[ "$go" = go ] || exit 125',
  ...receiveScript(),
  'ulimit -c 0',
  'exec 3>&2 2>/dev/null',
  '(exec 2>&3 3>&-; eval "$script")',
  'code=$?',
  'kill -KILL -1',
  'exit $code',
].join('\n');
