#!/usr/bin/env node
'use strict';

// The `klaus` of an installed package, copied to dist/klaus.cjs. Any Node on the PATH
// can run it, so it uses only old syntax, and it loads as little as possible: every start runs it.

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

function refuse({ wanted, reason }) {
  console.error(
    reason
      ? `klaus: ${reason}`
      : `klaus: this is Node ${process.version}, and Klaus runs on Node ${wanted} or newer.\n` +
          'npm installs one with Klaus on Linux (x64, arm64), except with --omit=optional; ' +
          `there is none for ${process.platform} ${process.arch} here.\n` +
          'Install Node 24 from https://nodejs.org/en/download, then type the same command again.',
  );
  process.exitCode = 3;
}

require('./node-stub.cjs').run({ file: __filename, start, refuse });
