import { VERSION } from '@klaus/sdk/version';

const words = process.argv.slice(2);

// `--version` answers without loading anything: scripts and shells ask it often.
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  // Without `await`: the bundle is CommonJS, which loads faster and has none at the top level.
  void import('./program/execute.ts').then(({ execute }) => execute(words));
}
