export { optional } from '@klaus/core/optional';
