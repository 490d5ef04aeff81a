// The bundle is CommonJS, which loads faster and has no `await` at the top level.
void import('./program/execute.ts').then(({ execute }) => execute(process.argv.slice(2)));
