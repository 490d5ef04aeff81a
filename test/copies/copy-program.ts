import { createKlaus } from '@klaus/sdk';

/** Does one step with a working copy, as a process that a test kills: `copy-program.ts create`, or `merge SESSION`. */
const [step = '', session = ''] = process.argv.slice(2);
await using klaus = await createKlaus({
  settings: { model: 'scripted/test', 'sandbox.driver': 'host' },
  scripted: async () => ({ url: 'http://127.0.0.1:9' }),
});
if (step === 'create') await klaus.open({ workingCopy: { withChanges: true } });
else if (step === 'keep') await klaus.copies.keep(session);
else if (step === 'discard') await klaus.copies.discard(session);
else await klaus.copies.merge(session, { method: step === 'squash' ? 'squash' : 'merge' });
