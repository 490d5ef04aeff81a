export { isRecord } from '@klaus/core/is-record';
