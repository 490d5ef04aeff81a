#!/usr/bin/env node
'use strict';

// The `klaus` of an installed package, copied to dist/klaus.cjs. It is read by whatever Node is on the PATH, so
// it keeps to what an old one understands, and it loads as little as it can: it is on the way of every start.

const WANTED = 24;

function start() {
  const { existsSync } = require('node:fs');
  const { join } = require('node:path');
  const home = process.env.KLAUS_HOME || join(require('node:os').homedir(), '.klaus');
  // Only in a home that is there already, which Klaus made for this user alone: Node's own default is a folder
  // in /tmp, where others could plant code.
  if (existsSync(home)) require('node:module').enableCompileCache(join(home, 'cache', 'compiled'));
  require('./main.cjs');
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
  // Node 22.15 and later can become the other program; the warning that this is new never gets its turn.
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
      'npm installs one beside Klaus on Linux (x64, arm64), unless told --omit=optional; ' +
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
