import { expect, test } from 'vitest';
import type { ModelInfo } from '../ports/model.ts';
import { reportUnsupported, toSupported } from './sampling.ts';

const sizes: ModelInfo = { contextWindow: 1, maxOutputTokens: 1, images: false, prices: [] };

test.each([
  [{ effort: 'max' as const }, { efforts: ['low', 'high', 'xhigh'] as const }, { effort: 'xhigh' }],
  [{ effort: 'medium' as const }, { efforts: ['low', 'high'] as const }, {}],
  [{ effort: 'max' as const }, { efforts: [] }, {}],
  [{ effort: 'max' as const }, {}, {}],
  [{ temperature: 0 }, { maxTemperature: 1 }, { temperature: 0 }],
  [{ temperature: 1.1 }, { maxTemperature: 1 }, {}],
  [{ temperature: 0 }, {}, {}],
])('of %o a model with %o supports %o', (sampling, info, supported) => {
  expect(toSupported(sampling, info)).toEqual(supported);
});

test('each unsupported value has its notice, with the field and the model', () => {
  const model = { name: 'a/b', info: { ...sizes, efforts: ['low' as const] } };
  const report = (sampling: Parameters<typeof reportUnsupported>[0]) => reportUnsupported(sampling, model, 'R');
  expect(report({ temperature: 1, effort: 'high' })).toMatchObject([
    { type: 'notice', run: 'R', level: 'warn', text: expect.stringMatching(/a\/b.*temperature/) as string },
    { type: 'notice', run: 'R', level: 'warn', text: expect.stringMatching(/a\/b.*effort/) as string },
  ]);
  expect(report({ effort: 'low' })).toEqual([]);
  expect(report({})).toEqual([]);
});
