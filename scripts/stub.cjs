#!/usr/bin/env node
'use strict';

// The `klaus` of an installed package, copied to dist/klaus.cjs. Any Node on the PATH
// can run it, so it uses only old syntax, and it loads as little as possible: every start runs it.

const WANTED = 24;

function start() {
  const command = process.argv[2];
  // By default V8 doubles the young generation up to 32 MB in a stream of deltas or a long output, and the pages stay
  // with the process. Objects of a turn die so young that collecting them more often has no measurable cost. A server
  // has many sessions at once, a list has thousands of rows that live to its end, and a program waits for the start of
  // `wrap`. Set before code is loaded: V8 rejects code that was compiled with other flags.
  if (command !== 'serve' && command !== 'wrap' && command !== 'sessions')
    require('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  const home = process.env.KLAUS_HOME || require('node:path').join(require('node:os').homedir(), '.klaus');
  require('./code-cache.cjs').start(home, command);
}

function findNode() {
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}

function relaunch(node) {
  const words = [__filename, ...process.argv.slice(2)];
  // Node 22.15 and later can replace itself by the other program, before it prints its experimental warning.
  if (typeof process.execve === 'function') process.execve(node, [node, ...words], process.env);
  const child = require('node:child_process').spawn(node, words, { stdio: 'inherit' });
  // A terminal sends its interrupt to both processes; a second one would mean "leave at once".
  const isTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      if (signal === 'SIGTERM' || !isTerminal) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`klaus: ${node} does not start: ${error.message}`);
    process.exitCode = 3;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function refuse() {
  console.error(
    `klaus: this is Node ${process.version}, and Klaus runs on Node ${WANTED} or newer.\n` +
      'npm installs one with Klaus on Linux (x64, arm64), except with --omit=optional; ' +
      `there is none for ${process.platform} ${process.arch} here.\n` +
      'Install Node 24 from https://nodejs.org/en/download, then type the same command again.',
  );
  process.exitCode = 3;
}

if (Number(process.versions.node.split('.')[0]) >= WANTED) {
  start();
} else {
  const node = findNode();
  if (node) relaunch(node);
  else refuse();
}
