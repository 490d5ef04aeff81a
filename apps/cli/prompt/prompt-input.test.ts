import { expect, test } from 'vitest';
import { toPromptParts } from './prompt-input.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('words are the prompt, and piped input is an attached file', () => {
  expect(toPromptParts({ words: ['fix', 'it'], stdin: undefined, maxChars: 0 })).toEqual([
    { type: 'text', text: 'fix it' },
  ]);
  expect(toPromptParts({ words: ['fix it'], stdin: bytes('a log'), maxChars: 10 })).toEqual([
    { type: 'text', text: 'fix it' },
    { type: 'file', name: 'stdin', mediaType: 'text/plain', text: 'a log' },
  ]);
});

test('piped text alone, or with -, is the prompt; when it is too long for one, a file', () => {
  for (const words of [[], ['-']]) {
    expect(toPromptParts({ words, stdin: bytes('do it\n'), maxChars: 10 })).toEqual([{ type: 'text', text: 'do it' }]);
  }
  expect(toPromptParts({ words: [], stdin: bytes('x'.repeat(11)), maxChars: 10 })).toMatchObject([
    { type: 'text' },
    { type: 'file', name: 'stdin', text: 'x'.repeat(11) },
  ]);
});

test('an image is sent as an image', () => {
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
  expect(toPromptParts({ words: ['what is this?'], stdin: png, maxChars: 0 })[1]).toEqual({
    type: 'image',
    mediaType: 'image/png',
    data: Buffer.from(png).toString('base64'),
  });
});

test('no prompt, an over-long one and bytes that are not text are refused with the reason', () => {
  const refusal = (message: RegExp) =>
    expect.objectContaining({ code: 'usage', message: expect.stringMatching(message) as string });
  expect(() => toPromptParts({ words: [], stdin: undefined, maxChars: 0 })).toThrow(refusal(/\bprompt\b/));
  expect(() => toPromptParts({ words: ['-'], stdin: bytes(' \n'), maxChars: 0 })).toThrow(refusal(/\binput\b/));
  expect(() => toPromptParts({ words: ['12345'], stdin: undefined, maxChars: 4 })).toThrow(refusal(/\b5\b.*\b4\b/));
  expect(() => toPromptParts({ words: ['x'], stdin: Uint8Array.from([0xff, 0xfe, 0]), maxChars: 0 })).toThrow(
    refusal(/\binput\b.*\bPNG\b/),
  );
});
