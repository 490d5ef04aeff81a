import { declareDenials } from './suite.ts';

declareDenials(1);
