/** Bytes after which output continues in a new file, at most twice as long. The first and the last two are kept. */
export const SEGMENT_BYTES = 4 * 1_024 * 1_024;

/** Stop reason of a process whose Klaus process has ended. */
export const KLAUS_ENDED = 'the Klaus process that started it has ended';

const READ_BYTES = 16_384;

/** Lines of the prelude just before the command. Without a line in `started` the command has not begun. */
export const MARK_BEGUN = ['echo >&6 || exit 125', 'exec 6>&-'];

/**
 * The shell script that supervises one background process and outlives Klaus. It needs half a megabyte. Arguments: the
 * folder of the process, a time limit in seconds or nothing, `leash` or nothing, bytes of an output file, and the words
 * that start the sandbox. Descriptors: 3 the channel to Klaus, 4 the system call filter, 7 the leash.
 *
 * It waits for `begin`, when it is in its control group, and starts the sandbox with named pipes for input and output.
 * The command waits for `go` on the channel, see `toPrelude`, and writes a line to `started` just before it begins. At
 * the end the exit code is in `exit`.
 *
 * The end of the leash means that Klaus has ended, for any reason: the sandbox is then killed. Output is written to files
 * of a fixed size, and those in the middle are removed, so that endless output neither fills the disk nor blocks the
 * command. The name of a file is the offset of its first byte. `dd` is used because, unlike `head`, it does not buffer.
 */
export const SUPERVISOR = `
cd -- "$1" || exit 125
limit=$2 leash=$3 segment=$4
shift 4
umask 077
mkfifo out input || exit 125
read -r word <&3 && [ "$word" = begin ] || exit 125
keep() {
  at=0 before=0
  while :; do
    size=0
    while dd bs=${READ_BYTES} count=$((segment / ${READ_BYTES})) >>"output.$at" 2>/dev/null; do
      now=$(wc -c <"output.$at")
      [ "$now" -gt "$size" ] || break 2
      size=$now
      [ "$size" -lt "$segment" ] || break
    done
    [ "$size" -gt 0 ] || break
    [ "$before" -eq 0 ] || rm -f "output.$before"
    before=$at
    at=$((at + size))
  done
  [ -s "output.$at" ] || rm -f "output.$at"
  cat >/dev/null
}
(
  # Close them in a subshell: a redirection of the function itself would keep copies.
  exec 3>&- 4>&- 7>&-
  keep
) <out &
keeper=$!
"$@" <>input >out 2>&1 6>>started 7>&- &
sandbox=$!
exec 3>&- 4>&-
below() {
  for child in $(cat "/proc/$1"/task/*/children 2>/dev/null); do
    printf '%s ' "$child"
    (below "$child")
  done
}
watcher= timer=
if [ -n "$leash" ]; then
  (
    read -r _ <&7
    [ -s stop ] || echo '${KLAUS_ENDED}' >stop
    kill -KILL "$sandbox"
  ) 2>/dev/null &
  watcher=$!
fi
exec 7>&-
if [ -n "$limit" ]; then
  (
    sleep "$limit" &
    trap 'kill $!; exit' TERM
    wait $!
    trap - TERM
    [ -s stop ] || echo "time-out after $limit s" >stop
    kill -TERM $(below "$sandbox")
    sleep 1
    kill -KILL "$sandbox"
  ) 2>/dev/null &
  timer=$!
fi
wait "$sandbox"
code=$?
kill $watcher $timer 2>/dev/null
wait "$keeper"
rm -f out input
echo "$code" >exit
`;
