import { declareEscapes } from './suite.ts';

await declareEscapes(1);
