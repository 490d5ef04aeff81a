import { expect, test } from 'vitest';
import { expandPrompt, fillPlaceholders, toPlaceholders } from './prompt-template.ts';

test('placeholders are names in braces, each once', () => {
  expect(toPlaceholders('{{a}} {{ b c }} {{a}} {{}} {{{d}}} {x} {{$}}')).toEqual(['a', 'b c', 'd']);
});

test('values replace placeholders and are not replaced themselves', () => {
  expect(fillPlaceholders('{{a}} and {{ b }}', { a: '{{b}}' })).toBe('{{b}} and {{ b }}');
  expect(fillPlaceholders('{{constructor}}', {})).toBe('{{constructor}}');
});

test('arguments are words in order, and the last placeholder takes the rest', () => {
  expect(expandPrompt('Fix {{issue}} in {{where}}.\n', '7 the parser')).toBe('Fix 7 in the parser.');
  expect(expandPrompt('Fix {{issue}} in {{where}}.', '7')).toBe('Fix 7 in {{where}}.');
  expect(expandPrompt('$2 $1 of $ARGUMENTS', 'a b')).toBe('b a of a b');
  expect(expandPrompt('{{x}}', '$1 {{x}}')).toBe('$1 {{x}}');
  expect(expandPrompt('Review.', 'v2')).toBe('Review.\n\nv2');
  expect(expandPrompt('Review.', '')).toBe('Review.');
});
