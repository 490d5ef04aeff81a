import { VERSION } from '@klaus/sdk/version';

const words = process.argv.slice(2);

// `--version` answers without loading anything: scripts and shells ask it often.
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  const { execute } = await import('./execute.ts');
  await execute(words);
}
