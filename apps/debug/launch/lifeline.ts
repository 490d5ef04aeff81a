// Loaded into the CLI by `--import`. Ends it when the program that started it ends, however that happens: the other end
// of the pipe closes even if that program is killed.
import { Socket } from 'node:net';

const FD = 4;
/** Milliseconds that the CLI has to end by itself. */
const GRACE_MS = 1000;

try {
  const line = new Socket({ fd: FD, readable: true, writable: false });
  line.on('error', () => {});
  line.on('close', end);
  line.resume();
  line.unref();
} catch {
  // Started by hand, without the pipe.
}

function end() {
  kill('SIGTERM');
  // Not unreferenced: a program that ignores the first signal is ended by the second.
  setTimeout(() => kill('SIGKILL'), GRACE_MS);
}

/** The CLI leads its process group, in which its own programs are. */
function kill(signal: NodeJS.Signals) {
  try {
    process.kill(-process.pid, signal);
  } catch {
    process.kill(process.pid, signal);
  }
}
