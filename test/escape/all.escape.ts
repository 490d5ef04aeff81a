import { declareEscapes } from './suite.ts';

await declareEscapes({ every: 1, driver: process.env['KLAUS_DRIVER'] === 'docker' ? 'docker' : 'bubblewrap' });
