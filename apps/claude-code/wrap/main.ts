export { PROGRAM_NAMES } from './programs.ts';
export { wrap, type WrapOptions, type Wrapped, type WrapReply } from './wrap.ts';
