import { COUNT_LINES } from '../container/scripts.ts';

/** A folder of the pod with the shell of its main process. */
export const SHELL_FOLDER = '/.klaus';

const SHELL = `${SHELL_FOLDER}/sh`;

/**
 * Copies the shell of the image so that the user of the commands can run it and not read it. The kernel then lets no
 * process of this user read or change the memory of the shell.
 */
export const PREPARE_SCRIPT = `cp /bin/sh ${SHELL} && chmod 0711 ${SHELL}`;

/**
 * The main process of a pod: process 1, which no process of the pod can signal. Each line of its input is a number and a
 * word: `term` and `kill` signal every other process, `reap` collects ended ones, and `count` does nothing. It answers
 * with the number and its counts of processes, mounts, temporary files, and processes that the kernel ended for their
 * memory. It ends with its input, and the pod with it.
 */
const HOLDER_SCRIPT = `
if [ -r ${SHELL} ]; then exit 1; fi
while read -r id word; do
  case $word in
    term) kill -TERM -1 ;;
    kill) kill -KILL -1 ;;
    reap) ( : ) ;;
  esac 2>/dev/null
${COUNT_LINES}
  oom=0
  for table in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    if [ -r "$table" ]; then
      while read -r name count; do if [ "$name" = oom_kill ]; then oom=$count; fi; done <"$table"
    fi
  done
  echo "$id $processes $mounts $files $oom"
done`;

/** Variables of the API server, which the kubelet gives every container, also without service links. */
const SERVICE_VARIABLES = ['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_HTTPS', 'PORT', 'PORT_443_TCP']
  .concat(['PROTO', 'PORT', 'ADDR'].map((name) => `PORT_443_TCP_${name}`))
  .map((name) => `KUBERNETES_${name}`);

/** The first line of every command. */
export const UNSET_LINE = `unset ${SERVICE_VARIABLES.join(' ')}`;

export const HOLDER_COMMAND = [SHELL, '-c', HOLDER_SCRIPT];
