import { expect, test } from 'vitest';
import { writesNothing } from './writes-nothing.ts';

const options = { workspace: '/w' };

test.each([
  'sleep 9',
  'sleep 9; echo ok',
  'cat a.txt | grep x | wc -l',
  'ls -la 2>/dev/null',
  'echo failed >&2',
  'test -f a && echo yes || echo no',
  'for i in 1 2 3; do sleep 1; done',
])('%s writes nothing', (line) => {
  expect(writesNothing(line, options)).toBe(true);
});

test.each([
  'echo x > a.txt',
  'echo x >> a.txt',
  'sleep 1; touch a.txt',
  'echo x &> all.txt',
  'echo x >& all.txt',
  'make',
  'sleep $(touch a; echo 1)',
  'cat <<< x | tee b',
  'sort -o a.txt a.txt',
  'PATH=. sleep 1; ./x',
  '$unknown',
  'eval "$(cat script)"',
  '',
])('%s may write', (line) => {
  expect(writesNothing(line, options)).toBe(false);
});
