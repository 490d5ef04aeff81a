import { createCount } from './count.ts';

const count = createCount('en');

/** Texts for results of the debugger in English. */
export const enDebug = {
  frames: (n: number) => `Call stack, ${count(n, 'frame', 'frames')}`,
  locals: (frame: number, n: number) => `Frame ${frame}, ${count(n, 'variable', 'variables')}`,
  anonymous: '(anonymous)',
  async: 'across await',
  package: 'package',
  more: (n: number) => `Show ${n} more`,
  omitted: (n: number) => `${n} more not read`,
  none: 'Nothing to show',
  load: 'Load the complete result as a tree',
  copy: 'Copy as JSON',
  report: 'Report',
  cause: 'Root cause',
  confidence: (percent: number) => `${percent} % confidence`,
  evidence: 'Evidence',
  fix: 'Proposed fix',
  notApplied: 'It was not applied.',
  risk: { low: 'low risk', medium: 'medium risk', high: 'high risk' },
};

export type DebugText = typeof enDebug;
