/**
 * Bytes after which output goes to the next file, which is at most twice as long. The first is kept, and of the others
 * the last two.
 */
export const SEGMENT_BYTES = 4 * 1_024 * 1_024;

/** Bytes that are read at once. */
const READ_BYTES = 16_384;

/** Lines of the prelude just before the command: a folder without that line in `started` never ran anything. */
export const MARK_BEGUN = ['echo >&6 || exit 125', 'exec 6>&-'];

/**
 * What stands over one background process and outlives Klaus: a plain shell of half a megabyte. Arguments: the
 * process's folder, seconds after which to stop it or nothing, `leash` or nothing, bytes of a file of output, then the
 * words that start the sandbox. Descriptors: 3 the channel to Klaus, 4 the system call filter, 7 the leash.
 *
 * It waits for `begin`, by which time it is in its control group, and starts the sandbox with output and input on
 * named pipes. The command itself waits for `go` on the channel, see `toPrelude`, and leaves a line in `started` just
 * before it begins: a folder without that line never ran anything. At the end the exit code stands in `exit`.
 *
 * The end of the leash means that Klaus is gone, however it went: the sandbox is ended at once. Output goes to files
 * of a fixed size, of which the middle ones are removed: a command that writes for ever does not fill the disk, and is
 * not slowed down when nobody reads. A file is named by the offset of its first byte. `dd` and not `head`: it writes what
 * it has read at once.
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
  # Closed for good: a redirection of the function itself would keep copies of them.
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
    [ -s stop ] || echo 'the Klaus that had started it ended' >stop
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
