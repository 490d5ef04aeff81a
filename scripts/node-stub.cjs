'use strict';

// Finds a Node that is new enough for a program, copied to dist/node-stub.cjs. Any Node on the PATH can run it, so it
// uses only old syntax.

const WANTED = 24;

/**
 * Runs `start` in this process if its Node is new enough, else the same program with the Node of an installed package.
 *
 * @param program.file File of the program.
 * @param program.env Environment of the other Node. Default: that of this process.
 * @param program.start Starts it here.
 * @param program.refuse Called without such a Node, with the wanted version, or with the reason why it does not start.
 */
exports.run = function run(program) {
  if (Number(process.versions.node.split('.')[0]) >= WANTED) return program.start();
  const node = findNode();
  if (node) relaunch(node, program);
  else program.refuse({ wanted: WANTED });
};

function findNode() {
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}

function relaunch(node, { file, env = process.env, refuse }) {
  const words = [file, ...process.argv.slice(2)];
  const stdio = toStdio();
  // Node 22.15 and later can replace itself by the other program, before it prints its experimental warning. Only the
  // three standard descriptors stay open then.
  if (typeof process.execve === 'function' && stdio.length === 3) process.execve(node, [node, ...words], env);
  const child = require('node:child_process').spawn(node, words, { stdio, env });
  // A terminal sends its interrupt to both processes; a second one would mean "leave at once".
  const isTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      if (signal === 'SIGTERM' || !isTerminal) child.kill(signal);
    });
  }
  child.on('error', (error) => refuse({ wanted: WANTED, reason: `${node} does not start: ${error.message}` }));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Also the descriptor of `--events-fd`, if there is one. */
function toStdio() {
  const at = process.argv.findIndex((word) => word === '--events-fd' || word.startsWith('--events-fd='));
  const word = at < 0 ? '' : process.argv[at].split('=')[1] || process.argv[at + 1];
  const stdio = ['inherit', 'inherit', 'inherit'];
  const fd = /^\d{1,4}$/.test(word) ? Number(word) : 0;
  while (stdio.length < fd) stdio.push('ignore');
  return fd > 2 ? [...stdio, fd] : stdio;
}
