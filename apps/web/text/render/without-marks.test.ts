import { expect, test } from 'vitest';
import { withoutMarks } from './without-marks.ts';

test('marks of headings, strong text and code are left out, and names stay', () => {
  expect(withoutMarks('# Report on `src/a_b.ts`')).toBe('Report on src/a_b.ts');
  expect(withoutMarks('**3 of 3** pass: 2 * 3, #4')).toBe('3 of 3 pass: 2 * 3, #4');
});
