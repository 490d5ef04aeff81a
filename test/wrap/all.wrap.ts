// Programs of other makers under klaus wrap, against the scripted model server.
import { describeWrapped } from './batteries.ts';
import { REAL_PROGRAMS } from './programs.ts';

for (const program of REAL_PROGRAMS) describeWrapped(program);
