import { VERSION } from '@klaus/sdk/version';

const words = process.argv.slice(2);

// `--version` loads nothing, because scripts and shells call it often.
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  // The bundle is CommonJS, which loads faster and has no `await` at the top level.
  void import('./program/execute.ts').then(({ execute }) => execute(words));
}
