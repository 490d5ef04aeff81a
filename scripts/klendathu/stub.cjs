#!/usr/bin/env node
'use strict';

// The `klendathu-cli` of an installed package, copied to its dist/klendathu-cli.cjs. Any Node on the PATH can run it,
// so it uses only old syntax. Each line that it writes to standard error is JSON.

// The code of `node-missing` in apps/debug/contract/failure-codes.ts.
const NODE_MISSING = 13;

function start() {
  require('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  const home = process.env.KLAUS_HOME || require('node:path').join(require('node:os').homedir(), '.klaus');
  require('./code-cache.cjs').start(home, 'klendathu');
}

function refuse({ wanted, reason }) {
  const timestamp = new Date().toISOString();
  const message = reason || `This is Node ${process.version}, and klendathu-cli runs on Node ${wanted} or newer.`;
  const hint =
    `Install the package node-${process.platform}-${process.arch}@${wanted} beside it, ` +
    `or Node ${wanted} from https://nodejs.org/en/download.`;
  const lines = [
    { type: 'log', level: 'error', code: 'node-missing', message, hint, timestamp },
    { type: 'summary', turns: 0, cost: 0, finishReason: 'error', timestamp },
  ];
  process.stderr.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  process.exitCode = NODE_MISSING;
}

// Options for the Node of the program that failed, such as a hook that it loads, are not for this one.
const env = Object.assign({}, process.env);
delete env.NODE_OPTIONS;
require('./node-stub.cjs').run({ file: __filename, env, start, refuse });
